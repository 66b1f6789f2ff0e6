extern int __VERIFIER_nondet_int(void);
int old, seen;
static void use(void) { seen = old; }
int main(void)
{
    old = __VERIFIER_nondet_int() ? 1 : 2;
    use();
    if (__VERIFIER_nondet_int()) /* what use() left is never read */
        old = 3;
    else
        old = 4;
    use();
    return seen == 3;
}
