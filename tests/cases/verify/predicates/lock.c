extern int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void)
{
    int lock = 0, old, new = 0;
    do {
        if (lock != 0) reach_error();
        lock = 1;
        old = new;
        if (__VERIFIER_nondet_int()) { lock = 0; new++; }
    } while (new != old);
    if (lock == 0) reach_error();
    return 0;
}
