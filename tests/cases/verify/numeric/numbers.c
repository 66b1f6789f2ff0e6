extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

struct ring {
    unsigned head, used;
    int mode;
};

/* Through a pointer to one object: both writes replace what was there. */
static void put(struct ring *r)
{
    if (r->used < 64) {
        r->used++;
        r->head = (r->head + 4) & 0xff;
    }
}

int main(void)
{
    struct ring r = {0, 0, 1};
    int low = 0, n = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int()) {
        put(&r);
        if (low < 1000000)
            low++;
        if (n > low)
            __VERIFIER_assert(n >= 1);
    }
    __VERIFIER_assert(r.used <= 64);
    __VERIFIER_assert(r.head % 4 == 0);
    __VERIFIER_assert(0 <= low && low <= 1000000);
#ifdef BROKEN
    __VERIFIER_assert(r.head != 252);
#endif
    return 0;
}
