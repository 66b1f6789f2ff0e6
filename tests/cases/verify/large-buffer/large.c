extern int __VERIFIER_nondet_int(void);
int main(void) {
    static int used;
    double samples[500000];
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 500000)
        return 0;
    samples[i] = 1.0;
    return used;
}
