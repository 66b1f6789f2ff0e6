// verify: --property shift
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    return 1u << (__VERIFIER_nondet_uint() % 40);
}
