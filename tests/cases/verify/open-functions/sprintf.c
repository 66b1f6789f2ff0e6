#include <assert.h>
#include <stdio.h>
int main(int n, char **unused) { char b[12] = "a"; sprintf(b, "%d", n); assert(b[0] == 97); return 0; }
