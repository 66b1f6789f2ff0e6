extern int __VERIFIER_nondet_int(void);
static void f(int n, int m)
{
    if (n == 1 && m != 7)
        f(0, 7);
}
int main(void)
{
    f(__VERIFIER_nondet_int(), 3);
    return 0;
}
