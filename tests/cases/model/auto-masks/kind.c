/* What is stored is two bits of an unknown value. */
struct msg { int kind, len; };
int input(void);
void hello(void);
void data(int len);
void bye(void);
static void receive(struct msg *m) {
    m->kind = input() & 3;
    m->len = input() & 1;
}
int main(void) {
    struct msg m;
    int greeted = 0;
    for (;;) {
        receive(&m);
        switch (m.kind) {
        case 0: bye(); return 0;
        case 1: greeted = 1; hello(); break;
        case 2: if (greeted) data(m.len); break;
        }
    }
}
