ns::k<float, (a > b), std::vector<std::vector<int>>><<<dim3(f(1, 2), g<3>()), [=] { return 4; }(), 0, s>>>(p, q);
obj.k<<<g, b>>>();
(*fp)<<<g,
  b>>>(x);
