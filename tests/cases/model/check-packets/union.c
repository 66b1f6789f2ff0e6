#include <string.h>
#include <stdint.h>
enum tag { T_BEGIN = 1, T_WRITE, T_COMMIT, T_ABORT };
struct msg { uint8_t tag; union { struct { uint16_t key; uint16_t val; } w; uint32_t txid; char raw[8]; } u; };
int recv_bytes(unsigned char *buf, int n);
void begin(void); void apply(void); void commit(void); void rollback(void); void bad(void);
struct tx { int open; uint32_t id; int writes; };
static void process(struct tx *t, const struct msg *m)
{
    switch (m->tag) {
    case T_BEGIN: if (t->open) { bad(); return; } t->open = 1; t->id = m->u.txid; t->writes = 0; begin(); return;
    case T_WRITE: if (!t->open) { bad(); return; } t->writes++; apply(); return;
    case T_COMMIT:
        if (!t->open || m->u.txid != t->id) { bad(); return; }
        t->open = 0; commit(); return;
    case T_ABORT: if (t->open) { t->open = 0; rollback(); } return;
    default: bad();
    }
}
int main(void)
{
    struct tx t = { 0 };
    unsigned char buf[16];
    for (;;) {
        struct msg m;
        if (recv_bytes(buf, sizeof buf) < (int)sizeof m) break;
        memcpy(&m, buf, sizeof m);
        process(&t, &m);
    }
    return t.open;
}
