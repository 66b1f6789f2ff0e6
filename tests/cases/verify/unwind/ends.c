extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) { int n = __VERIFIER_nondet_int(), i = 0;
    while (i < 10 && i < n)
        i++;
    if (i > 10)
        reach_error();
}
