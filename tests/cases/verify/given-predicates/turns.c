extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);
int main(void) {
    int x = __VERIFIER_nondet_int(), y = x;
    int mode = 0;
    while (__VERIFIER_nondet_int()) {
        if (mode == 0) { x++; mode = 1; }
        else { y++; mode = 0; }
    }
    if (mode == 0) __VERIFIER_assert(x == y);
    return 0;
}
