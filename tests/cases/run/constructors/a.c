#include <stdio.h>
#include <stdlib.h>
void b(void);
static int argc_seen;
__attribute__((constructor)) void a(int argc) { argc_seen = argc; puts("a"); }
__attribute__((constructor(300))) static void early(void) { puts("early"); }
__attribute__((constructor, destructor)) void b(void) { puts("b"); }
__attribute__((constructor(200))) static void first(void) { puts("first"); }
__attribute__((destructor)) static void end(void) { puts("end"); }
__attribute__((destructor(200))) static void last(void) { puts("last"); }
static void at_exit(void) { puts("at exit"); }
int main(int argc, char **argv)
{
    atexit(at_exit);
    printf("main %d %d\n", argc, argc_seen);
    fflush(stdout);
    if (argc > 2)
        _Exit(4);
    if (argc > 1)
        exit(3);
    return 2;
}
