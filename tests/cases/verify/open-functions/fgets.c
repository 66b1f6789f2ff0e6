#include <assert.h>
#include <stdio.h>
int main(void) { char b[4] = "a"; fgets(b, 4, stdin); assert(b[3] == 0); assert(b[0] == 97); return 0; }
