/* Runs a program of this folder under gcc: inputs are drawn from the seed in argv[1], and each event is a line of output.
 * cc -o server server.c run.c && ./server 7 */
#include <stdio.h>
#include <stdlib.h>

static unsigned long drawn = 1;
static int events;

void _cwolf_event(const char *label)
{
    puts(label);
    if (++events == 400)
        exit(0);
}

int __VERIFIER_nondet_int(void)
{
    static int calls;
    if (++calls == 100000)
        exit(0);
    drawn = drawn * 6364136223846793005ul + 1442695040888963407ul;
    /* Small numbers more often than others: programs mostly choose among few. */
    int wide = (int)(drawn >> 32);
    return (drawn >> 60) ? (wide & 0x7fffffff) % 8 : wide;
}

__attribute__((constructor)) static void seed(int argc, char **argv)
{
    drawn = argc > 1 ? strtoul(argv[1], 0, 0) * 2654435761ul + 1 : 1;
}
