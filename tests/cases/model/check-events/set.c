struct t { int state; };
int get(void);
void out(void);
static void set(struct t *p, int v) {
    p->state = v;
    out();
}
int main(void) {
    struct t t = {0};
    for (;;) {
        int v = get();
        if (v >= 0 && v < 5)
            set(&t, v);
    }
}
