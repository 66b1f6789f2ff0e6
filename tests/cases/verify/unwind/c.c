extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), sum = 0, fives = 0;
    for (int i = 0; i < n; i++)
        sum++;
    while (__VERIFIER_nondet_int())
        fives += 5;
    if (fives == 20)
        reach_error();
    return sum;
}
