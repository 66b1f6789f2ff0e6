#include <stdlib.h>
void _cwolf_event(const char *);
int at; void bye(void) { at = 7; _cwolf_event("bye"); } void bye2(void) { _cwolf_event("bye2"); }
int main(void) { atexit(bye); atexit(bye2); at = 1; return 3; }
