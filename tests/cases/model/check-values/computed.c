int input(void); void out(int x);
static int f(int a) { return a + 1; }
int main(void){ int n = 0; for(;;){ if (input()) n++; if (n > 1000000) n = 0; out(f(n)); } }
