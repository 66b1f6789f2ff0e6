// verify: --property overflow
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int();
    return x > 2147483000 ? x + 1000 : 0;
}
