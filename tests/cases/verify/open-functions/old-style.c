#include <assert.h>
extern int old();
int main(void) { int x = 1; old(&x); assert(x == 1); return 0; }
