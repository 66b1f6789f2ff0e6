#include <signal.h>
void boom(void); int wait_request(void); void work(void);
static void on_hup(int s) { (void)s; boom(); }
int main(void) { signal(SIGHUP, on_hup); while (wait_request()) work(); return 0; }
