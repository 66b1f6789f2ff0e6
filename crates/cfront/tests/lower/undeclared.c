/* Words of verification that no header declares stay calls by their names. */
void f(int n)
{
    assert(n);
    assert_perror(n);
    __CPROVER_assume(n > 0);
    __CPROVER_assert(n, "text");
    __ESBMC_assume(n);
    __ESBMC_assert(n, "text");
    __VERIFIER_assume(n);
}
void declared(int n)
{
    extern void __CPROVER_assume(_Bool), assert(int);
    extern void __CPROVER_assert(_Bool, const char *);
    __CPROVER_assume(n > 0);
    __CPROVER_assert(n, "text");
    assert(n);
}
