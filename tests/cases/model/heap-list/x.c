#include <stdlib.h>
void node(void); void end(void); void bad(void);
struct node { struct node *next, *prev; };
static struct node *push(struct node *list) {
    struct node *n = malloc(sizeof *n);
    n->next = list; n->prev = 0;
    if (list) list->prev = n;
    return n;
}
int main(void) {
    struct node *list = 0;
    for (int i = 0; i < 1; i++) list = push(list);
    list = push(push(list));
    if (list->next->prev != list) bad();
    for (struct node *n = list; n; n = n->next) node();
    while (list) { struct node *n = list->next; free(list); list = n; }
    end();
}
