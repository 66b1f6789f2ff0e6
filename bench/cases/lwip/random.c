/* Chooses for the compiled harness, by the random numbers of SEED, and ends it after CHOICES of them; prints what is seen. */
#include <stdio.h>
#include <stdlib.h>

void _cwolf_event(const char *label) { puts(label); }

int __VERIFIER_nondet_int(void)
{
    static long left;
    if (left == 0) {
        srand(atoi(getenv("SEED")));
        left = atol(getenv("CHOICES"));
    }
    if (--left == 0)
        exit(0);
    return rand() % 10;
}

/* What tcp_out.c calls only for data. */
void pbuf_copy_partial(void) { abort(); }
