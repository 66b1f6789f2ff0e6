extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
int locked;

static int lock(void) {
    int ok;
    ok = 0;
    if (!locked) {
        locked = 1;
        ok = 1;
    }
    return ok;
}
static void unlock(void) {
    if (!locked)
        __VERIFIER_error();
    locked = 0;
}
static int down(int n) {
    int r;
    r = n;
    if (n > 0)
        r = down(n - 1);
    return r;
}
static int none(int n) { return n; }
int main(void) {
    int n, d;
    int (*walk)(int);
    locked = 0;
    n = __VERIFIER_nondet_int();
    while (n > 0) {
        if (lock() == 1) {
            switch (n) {
            case 1:
                n = 2;
                break;
            case 5 ... 9:
                n = n + 1;
            default:
                n = n - 1;
            }
            unlock();
        }
    }
    walk = n > 3 ? down : none;
    d = walk(3);
END:
    return d;
}
