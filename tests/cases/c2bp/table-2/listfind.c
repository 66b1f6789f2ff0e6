/* Finds the first cell of a list that holds v, moves it to the front, and returns the list. */
#include <stddef.h>

struct cell {
    int val;
    struct cell *next;
};

struct cell *listfind(struct cell *list, int v)
{
    struct cell *curr, *prev;

    prev = NULL;
    curr = list;
    while (curr != NULL) {
        if (curr->val == v)
            break;
        prev = curr;
        curr = curr->next;
    }
DONE:
    if (curr == NULL || prev == NULL)
        return list;
    prev->next = curr->next;
    curr->next = list;
    return curr;
}
