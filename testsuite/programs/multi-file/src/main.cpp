// Host code without a kernel: it names CUDA types and calls, and an ordinary C++ compiler may
// build it.
#include "nbody/system.h"
#include "nbody/check.h"

#include <cmath>
#include <cstdio>

int main()
{
    int devices = 0;
    NBODY_CHECK(cudaGetDeviceCount(&devices));
    if (devices == 0) {
        std::puts("no device");
        return 0;
    }

    std::vector<float4> bodies(1500), found, expected;
    for (size_t i = 0; i < bodies.size(); ++i) {
        const float t = 0.1f * static_cast<float>(i);
        bodies[i].x = std::cos(t) * t;
        bodies[i].y = std::sin(t) * t;
        bodies[i].z = std::cos(3.0f * t);
        bodies[i].w = 1.0f + static_cast<float>(i % 5);
    }

    nbody::System system(bodies);
    system.forces(found);
    nbody::referenceForces(bodies, expected);

    double worst = 0;
    for (size_t i = 0; i < bodies.size(); ++i) {
        const double scale = 1.0 + std::fabs(expected[i].x);
        worst = std::fmax(worst, std::fabs(expected[i].x - found[i].x) / scale);
    }
    std::printf("largest relative difference %g, %d failures\n", worst, Check::failures());
    return worst < 1e-3 ? 0 : 1;
}
