int (*keep)(void);
static void make(int n){ int f(void){ return n; } keep = f; if (keep() != n) __builtin_abort(); }
int main(void){ make(3); return keep(); }
