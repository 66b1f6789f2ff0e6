__attribute__((weak)) void hook(void);
int main(void) { hook(); return 0; }
