// EXPECT: unknown or true
// TWIN: false(assertion)
// Nobody signals the condition.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
int main(void) {
    pthread_mutex_lock(&lock);
#ifndef TWIN
    pthread_cond_wait(&ready, &lock);
#else
    pthread_cond_signal(&ready);
#endif
    assert(0);
    return 0;
}
