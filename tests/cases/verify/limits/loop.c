unsigned __VERIFIER_nondet_uint(void);
void reach_error(void);
int main(void)
{
    unsigned long long n = 0;
    for (;;) {
        n = n * 3 + __VERIFIER_nondet_uint();
        if (n == 0x123456789abcdefULL)
            reach_error();
    }
}
