/* A computed goto leads to no label. */
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    void *table[] = {&&stop, &&more, 0};
    goto *table[__VERIFIER_nondet_uint() % 3];
more:
    return 1;
stop:
    return 0;
}
