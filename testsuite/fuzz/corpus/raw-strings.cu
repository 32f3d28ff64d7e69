const char *s = R"x(cudaMalloc <<<1, 2>>> )" )x", *t = u8R"(cudaFree)", *u = LR"--(
)--";
