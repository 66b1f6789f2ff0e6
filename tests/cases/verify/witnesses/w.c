extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = x / 2;
    if (y == 21)
        reach_error();
    return 0;
}
