#include <signal.h>
int main(void) { signal(SIGPIPE, SIG_IGN); signal(SIGINT, SIG_DFL); }
