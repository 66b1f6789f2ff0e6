// EXPECT: unknown or true
// TWIN: false(assertion)
// A semaphore can be taken as often as it was made for.
#include <assert.h>
#include <semaphore.h>
int main(void) {
    sem_t s;
#ifndef TWIN
    sem_init(&s, 0, 1);
#else
    sem_init(&s, 0, 2);
#endif
    sem_wait(&s);
    sem_wait(&s);
    assert(0);
    return 0;
}
