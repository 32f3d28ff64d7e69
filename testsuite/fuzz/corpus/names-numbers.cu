struct pool { void cudaMalloc(int); };
namespace mine { int cudaFree; }
int n = 1'000'000ull + 0x1p-3f + '\'' + 12_km;
bool b = not x and y bitor z; int a<:2:>; %:define Q
