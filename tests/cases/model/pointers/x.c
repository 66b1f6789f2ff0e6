extern int __VERIFIER_nondet_int(void);
struct point { int x, y; struct { char tag; } in; } a, b;
union { int i; unsigned char c[4]; } mix;
int grid[2][3], out;
double f;
static int one(void) { return 1; }
static int two(void) { return 2; }
int main(void)
{
    struct point *p = __VERIFIER_nondet_int() ? &a : &b;
    int *q = &grid[1][0];
    int (*table[2])(void) = { one, two };
    int (*call)(void) = __VERIFIER_nondet_int() ? table[0] : two;
    p->y = 4;
    if (p != &a)
        out = b.y; /* 4 */
    q += 2;
    *q = 6;
    out = grid[1][2]; /* 6 */
    b.in.tag = 'z';
    a = b;
    out = a.in.tag; /* 122 */
    mix.i = 1;
    mix.c[0] = 9; /* the int is unknown now */
    out = mix.i;
    out = call(); /* 1 or 2 */
    f = __VERIFIER_nondet_int();
    if (f >= 0.5 && f < 2.5)
        out = f > 3.0; /* 0 */
    p = 0;
    if (p)
        out = 99;
    return 0;
}
