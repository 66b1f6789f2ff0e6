#include <assert.h>
#include <pthread.h>
int x;
void *f(void *p) { x = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); assert(x == 0); return 0; }
