extern int __VERIFIER_nondet_int(void);
enum { NUMBER, DATA };
static unsigned char line[2], store[4][2], present[4], first, last;
/* Packets come in any order, up to two ahead; each says where it belongs. */
static void receive(unsigned char *p)
{
    switch (__VERIFIER_nondet_int()) {
    case 0: p[NUMBER] = 0; break;
    case 1: p[NUMBER] = 1; break;
    case 2: p[NUMBER] = 2; break;
    default: p[NUMBER] = 3; break;
    }
    p[DATA] = __VERIFIER_nondet_int() == 0;
}
static void keep(const unsigned char *p)
{
    if ((p[NUMBER] + 4 - first) % 4 < 2) {
        store[p[NUMBER]][NUMBER] = p[NUMBER];
        store[p[NUMBER]][DATA] = p[DATA];
        present[p[NUMBER]] = 1;
    }
}
int main(void)
{
    for (;;) {
        receive(line);
        keep(line);
        while (present[first]) {
            last = store[first][DATA];
            present[store[first][NUMBER]] = 0;
            first = (first + 1) % 4;
        }
    }
}
