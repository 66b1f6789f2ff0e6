// EXPECT: true
// TWIN: false(bounds) or false(pointer)
// An arena allocator: blocks of any size are cut off one large block, aligned, and written to. The twin forgets what
// alignment takes.
#include <assert.h>
#include <stdlib.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
extern int __VERIFIER_nondet_int(void);
struct arena {
    unsigned char *base;
    size_t size, used;
};
static void *arena_alloc(struct arena *a, size_t n)
{
    size_t start = (a->used + 7) & ~(size_t)7;
#ifdef TWIN
    if (n > a->size - a->used)
#else
    if (start > a->size || n > a->size - start)
#endif
        return NULL;
    a->used = start + n;
    return a->base + start;
}
int main(void)
{
    struct arena a;
    a.size = __VERIFIER_nondet_ulong();
    if (a.size > 1 << 20)
        return 1;
    a.base = malloc(a.size);
    if (!a.base)
        return 1;
    a.used = 0;
    while (__VERIFIER_nondet_int()) {
        size_t n = __VERIFIER_nondet_ulong();
        unsigned char *p = arena_alloc(&a, n);
        if (p && n) {
            p[0] = 1;
            p[n - 1] = 1;
        }
        assert(a.used <= a.size);
        if (__VERIFIER_nondet_int())
            a.used = 0;
    }
    free(a.base);
    return 0;
}
