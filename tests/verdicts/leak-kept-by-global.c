// EXPECT: true
// TWIN: false(leak)
// FLAGS: --property leak
// What a global variable leads to at the end is not lost.
#include <stdlib.h>
struct node { struct node *next; } *head;
int main(void)
{
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        n->next = head;
        head = n;
    }
#ifdef TWIN
    head = head->next;
#endif
    return 0;
}
