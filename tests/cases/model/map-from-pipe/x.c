void a(void), b(void);
static int x;
int main(void) { x = 1; if (x == 1) a(); else b(); }
