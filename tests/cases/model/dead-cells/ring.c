extern int __VERIFIER_nondet_int(void);
static unsigned char ring[3], head, count, last;
int main(void)
{
    for (;;) {
        if (__VERIFIER_nondet_int()) {
            if (count < 3) {
                ring[(head + count) % 3] = __VERIFIER_nondet_int() == 0;
                count++;
            }
        } else if (count > 0) {
            last = ring[head];
            head = (head + 1) % 3;
            count--;
        }
    }
}
