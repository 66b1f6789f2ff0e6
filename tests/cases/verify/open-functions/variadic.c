#include <assert.h>
extern void get(const char *, ...);
int main(void) { int x = 1; get("x", &x); assert(x == 1); return 0; }
