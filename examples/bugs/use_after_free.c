// A list is freed too early. `cwolf run use_after_free.c` shows the read, the allocation and the free.
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *push(struct node *list, int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = list;
    return n;
}

static int total(const struct node *list) {
    int sum = 0;
    // The last node is already gone when the loop comes to it.
    while (list) {
        sum += list->value;
        list = list->next;
    }
    return sum;
}

int main(void) {
    struct node *list = push(push(NULL, 1), 2);
    free(list->next);
    return total(list);
}
