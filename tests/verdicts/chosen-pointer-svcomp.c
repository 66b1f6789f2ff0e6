// EXPECT: false(unreach-call)
// TWIN: true
// FLAGS: --prop G ! call(reach_error())
// SV-COMP's programs compare pointers that they choose, too.
extern void reach_error(void);
extern void *__VERIFIER_nondet_pointer(void);
int main(void) {
    int x = 1, y = 1;
    int *p = __VERIFIER_nondet_pointer();
    if (p == &x)
        *p = 2;
#ifndef TWIN
    if (x != 1)
#else
    if (y != 1)
#endif
        reach_error();
    return y;
}
