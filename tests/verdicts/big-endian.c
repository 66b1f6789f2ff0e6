// EXPECT: true
// TWIN: false(assertion)
// FLAGS: --target=mips
// Where the highest byte comes first, parts of numbers are others, in memory, in unions and in initialisers.
/* No headers: those of the machine that runs the test are not the target's. */
extern void __assert_fail(const char *, const char *, unsigned, const char *);
#define assert(c) ((c) ? (void)0 : __assert_fail(#c, __FILE__, __LINE__, ""))
unsigned char __VERIFIER_nondet_uchar(void);
union number { unsigned whole; unsigned short half[2]; unsigned char byte[4]; };
struct bits { unsigned a : 4, b : 12, c : 16; };
static const union number fixed = { 0x01020304 };
int main(void) {
    union number n;
    unsigned char first = __VERIFIER_nondet_uchar(), last = __VERIFIER_nondet_uchar();
    union { struct bits bits; unsigned char byte[4]; } s = {{ first & 15, 0xabc, 0x1200 | last }};
    n.whole = 0;
    n.byte[0] = first;
    n.half[1] = last;
#ifndef TWIN
    assert(n.whole == ((unsigned)first << 24 | last));
    assert(fixed.byte[0] == 1 && fixed.half[1] == 0x0304);
    assert(s.byte[0] == ((first & 15) << 4 | 0xa) && s.byte[1] == 0xbc && s.byte[3] == last);
#else
    assert(n.whole == (first | (unsigned)last << 16) || fixed.byte[0] == 4);
#endif
    return 0;
}
