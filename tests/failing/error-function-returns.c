// verify:
// To call it is the error, whatever it does.
extern int __VERIFIER_nondet_int(void);
static void reach_error(void) {}
int main(void)
{
    if (__VERIFIER_nondet_int() == 5)
        reach_error();
    return 0;
}
