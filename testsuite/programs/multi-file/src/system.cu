#include "nbody/system.h"
#include "nbody/check.h"
#include "forces.cuh"

namespace nbody
{
System::System(const std::vector<float4> &bodies) : count_(bodies.size())
{
    NBODY_CHECK(cudaStreamCreate(&stream_));
    NBODY_CHECK(cudaMalloc(&bodies_, count_ * sizeof(float4)));
    NBODY_CHECK(cudaMalloc(&forces_, count_ * sizeof(float4)));
    NBODY_CHECK(cudaMemcpyAsync(bodies_, bodies.data(), count_ * sizeof(float4),
                                cudaMemcpyHostToDevice, stream_));
}

System::~System()
{
    cudaFree(forces_);
    cudaFree(bodies_);
    cudaStreamDestroy(stream_);
}

void System::forces(std::vector<float4> &out)
{
    constexpr int block = 128;
    const int blocks = static_cast<int>((count_ + block - 1) / block);
    forcesKernel<block><<<blocks, block, 0, stream_>>>(bodies_, forces_, static_cast<int>(count_));
    NBODY_LAUNCHED();
    out.resize(count_);
    NBODY_CHECK(cudaMemcpyAsync(out.data(), forces_, count_ * sizeof(float4),
                                cudaMemcpyDeviceToHost, stream_));
    NBODY_CHECK(cudaStreamSynchronize(stream_));
}

// The same arithmetic on the CPU: toward() is compiled for both.
void referenceForces(const std::vector<float4> &bodies, std::vector<float4> &out)
{
    out.assign(bodies.size(), make_float4(0, 0, 0, 0));
    for (size_t i = 0; i < bodies.size(); ++i)
        for (const float4 &other : bodies) {
            const float4 f = toward(bodies[i], other, softening);
            out[i].x += f.x;
            out[i].y += f.y;
            out[i].z += f.z;
        }
}
} // namespace nbody
