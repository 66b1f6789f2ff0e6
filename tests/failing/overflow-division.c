// verify: --property overflow
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    return y == -1 && x < -2147483600 ? x / y : 0;
}
