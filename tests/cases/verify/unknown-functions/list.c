#include <assert.h>
struct node { unsigned v; struct node *next; };
void walk(struct node *);
int main(void) {
    struct node b = {1, 0}, a = {2, &b};
    walk(&a);
    assert(b.v * 7u + 3 != 912345678u);
}
