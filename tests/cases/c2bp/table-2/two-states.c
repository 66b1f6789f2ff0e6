/* Two states before the second loop of reverse.c that differ in one pointer. All seven predicates have the same value
   in both, but only from one of them the loop ends with h->next == hnext. */
#include <stdio.h>
struct node {
    int mark;
    struct node *next;
};

static void second_loop(struct node *n, const char *name)
{
    struct node *h = &n[1], *hnext = &n[2];
    struct node *this = 0, *prev = &n[5], *tmp;

    printf("%s: %d %d %d - %d %d %d", name, h == 0, prev == h, this == h, prev == this,
           h->next == hnext, hnext->next == h);
    while (prev != 0) {
        tmp = this;
        this = prev;
        prev = prev->next;
        this->next = tmp;
    }
    printf(", at the end %d\n", h->next == hnext);
}

int main(void)
{
    struct node a[6] = { 0 }, b[6] = { 0 };
    for (int i = 2; i <= 5; i++) {
        a[i].next = &a[i - 1];
        b[i].next = &b[i - 1];
    }
    b[4].next = &b[1];
    second_loop(a, "real");
    second_loop(b, "changed");
    return 0;
}
