// EXPECT: unknown or true
// TWIN: false(assertion)
// Who takes a lock twice waits for ever.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
    pthread_mutex_lock(&lock);
#ifdef TWIN
    pthread_mutex_unlock(&lock);
#endif
    pthread_mutex_lock(&lock);
    assert(0);
    return 0;
}
