extern int __VERIFIER_nondet_int(void);
int mode;
int main(void)
{
    mode = __VERIFIER_nondet_int() != 0;
    return __VERIFIER_nondet_int();
}
