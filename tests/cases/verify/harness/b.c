extern int __VERIFIER_nondet_int(void);
int a[12];
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n >= 0 && n <= 12)
        a[n] = 1;
    return 0;
}
