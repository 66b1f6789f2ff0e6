// EXPECT: true
// TWIN: false(assertion)
// FLAGS: -m32
// Complex numbers where a double is aligned to four bytes: in records, as arguments and as results.
/* No headers: those of the machine that runs the test are not the target's. */
extern void __assert_fail(const char *, const char *, unsigned, const char *);
#define assert(c) ((c) ? (void)0 : __assert_fail(#c, __FILE__, __LINE__, ""))
unsigned __VERIFIER_nondet_uint(void);
struct s { char c; _Complex double z; _Complex float f; };
static _Complex double turned(_Complex double z, int n) {
    while (n--)
        z *= 1.0i;
    return z;
}
int main(void) {
    struct s x = {1, 2.0 + 3.0i, 1.0f};
    int n = __VERIFIER_nondet_uint() % 4;
    assert(sizeof(struct s) == 28 && _Alignof(struct s) == 4);
    x.z = turned(x.z, n);
    double sum = __real__ x.z + __imag__ x.z;
#ifndef TWIN
    assert(sum == 5 || sum == -1 || sum == -5 || sum == 1);
#else
    assert(sum != -5);
#endif
    return x.f == 1.0f ? 0 : 1;
}
