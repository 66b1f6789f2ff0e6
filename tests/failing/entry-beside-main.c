// verify: --entry f
#include <assert.h>
int f(int n, int *p) { assert(n != 3 || *p != n + 1); return 0; }
int main(void) { int x = 0; return f(0, &x); }
