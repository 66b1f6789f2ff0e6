#include <assert.h>
#include <unistd.h>
int main(void) { char b[4] = "a"; long n = read(0, b, 3); assert(n <= 3 && b[3] == 0); assert(b[0] == 97); return 0; }
