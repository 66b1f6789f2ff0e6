#include <assert.h>
static int half(int n) { assert(n % 2 == 0); return n / 2; }
int main(void) { return half(7); }
