#include <pthread.h>
void boom(void); int wait_request(void); void work(void);
static void *w(void *s) { (void)s; boom(); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); while (wait_request()) work(); return 0; }
