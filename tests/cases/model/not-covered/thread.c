#include <pthread.h>
void _cwolf_event(const char *);
static void *worker(void *arg) { _cwolf_event("worker"); return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); pthread_join(t, 0); }
