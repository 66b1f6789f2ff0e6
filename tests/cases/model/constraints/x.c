extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
extern void never(void);
extern void maybe(void);
int main(void)
{
    int v = __VERIFIER_nondet_int(), e = 5, w = __VERIFIER_nondet_int(), d = __VERIFIER_nondet_int();
    char c = __VERIFIER_nondet_char();
    unsigned u = __VERIFIER_nondet_int();
    if (v == e) { if (v != 5) never(); }
    if (v < w && w < 3) { if (v > 1) never(); }
    if (!(v >= 0)) { if (v == 3) never(); }
    if (!(v < 0 || v > 9)) { if (v == 10) never(); if (v == 9) maybe(); }
    if (c == 'a') { if ((int)c + 1 != 'b') never(); }
    if (v + 3 == 10) { if (v != 7) never(); }
    if (10 - v == 2) { if (v != 8) never(); }
    if ((v ^ 1) == 4) { if (v != 5) never(); }
    if (-v == 6) { if (v != -6) never(); }
    if (~v == 6) { if (v != -7) never(); }
    if (u <= 2) { if (u > 2u) never(); }
    if ((unsigned char)u == 1 && u < 200) { if (u == 0) never(); }
    switch (d) {
    case 1: if (d != 1) never(); break;
    case 2 ... 4: if (d < 2 || d > 4) never(); break;
    default: if (d == 3) never();
    }
    return 0;
}
