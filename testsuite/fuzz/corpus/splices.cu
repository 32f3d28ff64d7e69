cuda\
Malloc(&p, 4); // a comment \
 cudaFree(p);
#def\
ine X cuda\ 
Free
