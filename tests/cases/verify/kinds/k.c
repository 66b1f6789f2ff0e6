int __VERIFIER_nondet_int(void);
void reach_error(void);
void __VERIFIER_assert(int);
int main(void)
{
    int n = __VERIFIER_nondet_int(), a[4] = {0, 0, 0, 0};
    int *p = n ? a : 0;
#ifdef ASSERTION
    __VERIFIER_assert(n != 1);
#elif defined UNREACH_CALL
    if (n == 1) goto ERROR;
#elif defined BOUNDS
    if (n > 0 && a[n]) return 1;
#elif defined POINTER
    *p = 1;
#elif defined DIVISION_BY_ZERO
    n = 7 / (n - 1);
#elif defined OVERFLOW
    n = n + 1;
#elif defined SHIFT
    n = 1 << n;
#elif defined UNINITIALISED
    int x;
    if (x) return 1;
#endif
    return n;
ERROR:
    return 1;
}
