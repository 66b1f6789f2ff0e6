/* Three hundred products of 64 bits: more gates than the memory of this test has room for. */
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assert(int);
int main(void)
{
    unsigned long x = __VERIFIER_nondet_ulong(), y = __VERIFIER_nondet_ulong();
    for (int i = 0; i < 300; i++)
        x = x * y + i;
    __VERIFIER_assert(x != 12345678901234567UL);
    return 0;
}
