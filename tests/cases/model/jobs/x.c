extern int __VERIFIER_nondet_int(void);
unsigned char a, b, c, d;
int main(void)
{
    for (;;) {
        switch (__VERIFIER_nondet_int()) {
        case 0: a = (a + 1) % 9; break;
        case 1: b = (b + 1) % 9; break;
        case 2: c = (c + a) % 9; break;
        default: d = (d + b) % 9;
        }
    }
}
