// EXPECT: true
// TWIN: false(assertion)
// FLAGS: --property assertion,pointer,bounds
// Insertion into a binary search tree and lookup: a key that was inserted is found. The twin compares by a difference that may overflow.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
#define KEYS 6
struct node {
    int key;
    struct node *left, *right;
};
static struct node *root;
static void insert(int key)
{
    struct node **at = &root;
    while (*at) {
        if ((*at)->key == key)
            return;
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    }
    *at = malloc(sizeof **at);
    if (!*at)
        exit(1);
    (*at)->key = key;
    (*at)->left = (*at)->right = NULL;
}
static struct node *find(int key)
{
    struct node *n = root;
    while (n && n->key != key)
#ifdef TWIN
        n = key - n->key < 0 ? n->left : n->right;
#else
        n = key < n->key ? n->left : n->right;
#endif
    return n;
}
int main(void)
{
    int n = __VERIFIER_nondet_int(), first = 0, i;
    if (n < 1 || n > KEYS)
        return 0;
    for (i = 0; i < n; i++) {
        int key = __VERIFIER_nondet_int();
        if (i == 0)
            first = key;
        insert(key);
    }
    struct node *f = find(first);
    assert(f && f->key == first);
    return 0;
}
