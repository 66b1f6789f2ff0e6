/* Control comes to a place that the program calls unreachable. */
extern int __VERIFIER_nondet_int(void);
static int sign(int n) {
    if (n > 0)
        return 1;
    if (n < 0)
        return -1;
    __builtin_unreachable();
}
int main(void) { return sign(__VERIFIER_nondet_int()) == 2; }
