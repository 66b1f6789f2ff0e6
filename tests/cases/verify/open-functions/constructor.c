#include <assert.h>
int x;
__attribute__((constructor)) void first(void) { x = 1; }
int main(void) { assert(x == 0); return 0; }
