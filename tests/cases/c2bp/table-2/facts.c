/* reverse-assumed.c on every heap of three cells: any pointers, any marks, any list, any h. What is assumed there
   is so here, and h->next == hnext at the end. */
#include <assert.h>
#include <stdio.h>
struct node {
    int mark;
    struct node *next;
};
static struct node n[3];

static struct node *cell(int k)
{
    return k == 3 ? 0 : &n[k];
}

static void mark(struct node *list, struct node *h)
{
    struct node *this, *tmp, *prev;
    struct node *hnext = h->next;
    int passed = 0;

    prev = 0;
    this = list;
    while (this != 0) {
        if (this->mark == 1)
            break;
        if (this == h)
            passed = 1;
        this->mark = 1;
        tmp = prev;
        prev = this;
        this = this->next;
        prev->next = tmp;
    }
    while (prev != 0) {
        if (prev == h)
            passed = 0;
        tmp = this;
        this = prev;
        prev = prev->next;
        this->next = tmp;
        assert(prev != h || this == hnext);
    }
    assert(passed == 0);
    assert(h->next == hnext);
}

int main(void)
{
    int runs = 0;
    for (int heap = 0; heap < 4 * 4 * 4 * 8; heap++)
        for (int list = 0; list < 4; list++)
            for (int h = 0; h < 3; h++) {
                for (int k = 0; k < 3; k++) {
                    n[k].next = cell(heap >> 2 * k & 3);
                    n[k].mark = heap >> (6 + k) & 1;
                }
                mark(cell(list), &n[h]);
                runs++;
            }
    printf("%d runs\n", runs);
    return 0;
}
