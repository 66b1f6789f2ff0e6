// EXPECT: true
// TWIN: false(leak)
// FLAGS: --property pointer,bounds,leak
// A hash table with chains.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
struct entry {
    unsigned key;
    int value;
    struct entry *next;
};
static struct entry *table[4];
static struct entry *find(unsigned key)
{
    struct entry *e = table[key % 4];
    while (e && e->key != key)
        e = e->next;
    return e;
}
int main(void)
{
    while (__VERIFIER_nondet_int()) {
        unsigned key = __VERIFIER_nondet_uint();
        struct entry *e = find(key);
        if (!e) {
            unsigned h = key % 4;
            e = malloc(sizeof *e);
            e->key = key;
            e->next = table[h];
            table[h] = e;
        }
        e->value = __VERIFIER_nondet_int();
    }
#ifdef TWIN
    for (int i = 0; i < 3; i++)
#else
    for (int i = 0; i < 4; i++)
#endif
        while (table[i]) {
            struct entry *e = table[i];
            table[i] = e->next;
            free(e);
        }
#ifdef TWIN
    table[3] = 0;
#endif
    return 0;
}
