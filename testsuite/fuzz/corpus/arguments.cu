cudaMemcpyToSymbol(table, h, sizeof h);
cudaMemcpyToSymbol(
    table, /* from */ h,
    sizeof(h), 0, cudaMemcpyHostToDevice);
cudaFuncSetAttribute(k<4>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16);
cuCtxCreate(&c, 0, d);
