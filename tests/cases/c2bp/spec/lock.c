void acquire(void) {}
void release(void) {}
int __VERIFIER_nondet_int(void);

int main(void)
{
    int again;
    do {
        acquire();
        again = __VERIFIER_nondet_int();
        if (again)
            release();
    } while (again);
    release();
    return 0;
}
