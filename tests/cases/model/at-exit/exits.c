#include <stdlib.h>
void _cwolf_event(const char *);
int at; void bye(void) { at = 7; _cwolf_event("bye"); } 
int main(void) { atexit(bye); at = 1; exit(at); }
