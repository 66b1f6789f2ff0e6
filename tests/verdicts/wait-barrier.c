// EXPECT: unknown or true
// TWIN: false(assertion)
// A barrier is passed when others come to it.
#include <assert.h>
#include <pthread.h>
static pthread_barrier_t barrier;
int main(void) {
    pthread_barrier_init(&barrier, 0, 2);
#ifndef TWIN
    pthread_barrier_wait(&barrier);
#endif
    assert(0);
    return 0;
}
