#include <signal.h>
static void on_signal(int number) { (void)number; }
int main(void) { struct sigaction a = {0}; a.sa_handler = on_signal; return sigaction(SIGTERM, &a, 0); }
