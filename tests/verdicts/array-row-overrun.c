// EXPECT: false(unreach-call)
// TWIN: true
// FLAGS: --prop G ! call(reach_error())
// An inner index beyond its row is a cell of the next row, if nobody checks bounds.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int m[20][10];
int main(void)
{
    int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
    if (i < 0 || i > 3 || j < 0)
        return 0;
#ifdef TWIN
    if (j >= 10)
        return 0;
#else
    if (j >= 20)
        return 0;
#endif
    m[i][j] = 5;
    if (i < 3 && m[i + 1][0] == 5)
        reach_error();
    return 0;
}
