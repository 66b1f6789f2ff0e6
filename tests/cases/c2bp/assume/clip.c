extern void __VERIFIER_assume(int);

int clip(int x)
{
    __VERIFIER_assume(x > 0 && x != 7);
    if (x > 5)
        BIG: x = 5;
    else
        SMALL: x = 1;
DONE:
    return x;
}
