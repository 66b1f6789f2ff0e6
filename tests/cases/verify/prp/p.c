extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n == 100)
        reach_error();
    return n - 1;
}
