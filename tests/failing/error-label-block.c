// verify:
// A jump leads behind the mark of the label's line.
extern int __VERIFIER_nondet_int();
int main()
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a == b) {
        goto ERROR;
    } else {
        a = b;
    }
    if (a == b) {
        return 0;
    } else {
ERROR:
        goto ERROR;
    }
}
