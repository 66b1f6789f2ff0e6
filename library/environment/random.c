/* Random numbers. What a seed makes of them is not followed: a failing run is held against the real generator. */

int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
double __VERIFIER_nondet_double(void);
void __VERIFIER_assume(int);

int rand(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0);
    return n;
}

void srand(unsigned int seed)
{
}

long random(void)
{
    long n = __VERIFIER_nondet_long();
    __VERIFIER_assume(n >= 0 && n <= 2147483647);
    return n;
}

void srandom(unsigned int seed)
{
}

double drand48(void)
{
    double x = __VERIFIER_nondet_double();
    __VERIFIER_assume(x >= 0 && x < 1);
    return x;
}
