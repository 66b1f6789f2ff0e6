// EXPECT: false(pointer)
// TWIN: unknown or true
// A pointer that is chosen and not null need not lead anywhere.
extern void *__VERIFIER_nondet_pointer(void);
static int x, y;
int main(void) {
    int *p = __VERIFIER_nondet_pointer();
#ifndef TWIN
    if (p)
#else
    if (p == &x || p == &y)
#endif
        *p = 1;
    return 0;
}
