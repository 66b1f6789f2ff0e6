// verify: --spec ../../examples/rules/lock.aut
// The rule is not part of the C program: gcc cannot show this, the interpreter can.
int __VERIFIER_nondet_int(void);
void lock(void) {}
void unlock(void) {}
int main(void)
{
    lock();
    if (__VERIFIER_nondet_int() == 3)
        lock();
    unlock();
    return 0;
}
