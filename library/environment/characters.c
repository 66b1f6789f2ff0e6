/* Characters of a stream, one by one, in a program that never puts one back. */

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int getchar(void)
{
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= -1 && c <= 255);
    return c;
}
