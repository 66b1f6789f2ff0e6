/* Characters of a stream, one by one, in a program that never puts one back. */

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
int *__errno_location(void);

int getchar(void)
{
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= -1 && c <= 255);
    /* The end of the input is no error. `LOOKS_AT_ERRNO` is 0 in a program that never asks. */
    if (LOOKS_AT_ERRNO && c < 0 && __VERIFIER_nondet_int()) {
        int error = __VERIFIER_nondet_int();
        __VERIFIER_assume(error > 0 && error <= 133);
        *__errno_location() = error;
    }
    return c;
}
