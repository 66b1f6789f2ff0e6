int puts(const char *);
__attribute__((constructor)) static void other(void) { puts("other"); }
__attribute__((destructor)) static void end(void) { puts("other end"); }
