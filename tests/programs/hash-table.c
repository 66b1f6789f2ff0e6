// EXPECT: true
// TWIN: false(pointer)
// FLAGS: --property assertion,pointer,bounds,leak
// A hash table with chains: any number of insertions and removals; what is found has the key that was looked for.
// The twin frees an entry that its chain still leads to.
#include <assert.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
#define BUCKETS 8
struct entry {
    unsigned key;
    int value;
    struct entry *next;
};
static struct entry *table[BUCKETS];
static unsigned hash(unsigned key)
{
    return (key ^ key >> 5) % BUCKETS;
}
static struct entry *find(unsigned key)
{
    struct entry *e;
    for (e = table[hash(key)]; e; e = e->next)
        if (e->key == key)
            return e;
    return NULL;
}
static void insert(unsigned key, int value)
{
    struct entry *e = find(key);
    if (!e) {
        unsigned h = hash(key);
        e = malloc(sizeof *e);
        if (!e)
            exit(1);
        e->key = key;
        e->next = table[h];
        table[h] = e;
    }
    e->value = value;
}
static void remove_key(unsigned key)
{
    struct entry **at = &table[hash(key)];
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    if (*at) {
        struct entry *e = *at;
#ifndef TWIN
        *at = e->next;
#endif
        free(e);
    }
}
int main(void)
{
    while (__VERIFIER_nondet_int()) {
        unsigned key = __VERIFIER_nondet_uint();
        if (__VERIFIER_nondet_int()) {
            int value = __VERIFIER_nondet_int();
            if (value < 0)
                continue;
            insert(key, value);
        } else
            remove_key(key);
        key = __VERIFIER_nondet_uint();
        struct entry *e = find(key);
        if (e)
            assert(e->key == key && e->value >= 0);
    }
    for (int i = 0; i < BUCKETS; i++)
        while (table[i]) {
            struct entry *e = table[i];
            table[i] = e->next;
            free(e);
        }
    return 0;
}
