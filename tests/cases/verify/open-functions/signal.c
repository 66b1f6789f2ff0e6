#include <assert.h>
#include <signal.h>
int x;
void f(int n) { x = 1; }
int main(void) { signal(SIGINT, f); raise(SIGINT); assert(x == 0); return 0; }
