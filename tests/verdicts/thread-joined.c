// EXPECT: unknown or true
// TWIN: unknown or false
// A thread that was joined has done its work.
#include <assert.h>
#include <pthread.h>
#include "h.h"
static int x;
static void *work(void *p) { x = 1; return p; }
int main(void) {
    pthread_t t;
    if (pthread_create(&t, 0, work, 0))
        return 0;
    pthread_join(t, 0);
#ifndef TWIN
    assert(x == 1);
#else
    assert(x == 0);
#endif
    return 0;
}
