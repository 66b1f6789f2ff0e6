#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static struct node *list;

int main(void)
{
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        n->next = list;
        list = n;
    }
    struct node *first = list;
    list = list->next->next; /* nothing leads to the one in between when main ends */
    free(first);
    return 0;
}
