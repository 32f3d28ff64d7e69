#ifndef NBODY_SYSTEM_H_
#define NBODY_SYSTEM_H_

#include <driver_types.h> // cudaStream_t
#include <vector_types.h> // float4
#include <cstddef>
#include <vector>

namespace nbody
{
// Bodies on the device. The implementation is in system.cu; users need no CUDA compiler.
class System
{
  public:
    explicit System(const std::vector<float4> &bodies);
    ~System();
    System(const System &) = delete;
    void forces(std::vector<float4> &out);

  private:
    std::size_t count_;
    float4 *bodies_ = nullptr;
    float4 *forces_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

void referenceForces(const std::vector<float4> &bodies, std::vector<float4> &out);
} // namespace nbody

#endif
