#include <assert.h>
#include <stdio.h>
int main(void) { int x = 1; scanf("%d", &x); assert(x == 1); return 0; }
