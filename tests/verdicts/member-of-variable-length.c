// A member of variable length ends before the structure does.
// EXPECT: false(bounds)
// TWIN: true
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint() % 8 + 1;
    struct {
        int first;
        char text[n];
        int last;
    } s;
    unsigned i = __VERIFIER_nondet_uint();
#ifdef TWIN
    if (i < n)
#else
    if (i <= n)
#endif
        s.text[i] = 'x';
    return 0;
}
