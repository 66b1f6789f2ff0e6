#include <stdlib.h>
void out(const char *); void named(void); void unnamed(void); void full(void); void bad(void); int nd(void);
static char *name; static const char *text = "one"; static char line[80], *mark;
struct node { struct node *next; };
static struct node *list;
int main(void) {
    line[0] = nd();
    for (;;) {
        switch (nd()) {
        case 0: text = "two"; break;      /* only printed */
        case 1: if (!name) name = line; break; /* a flag */
        case 2:
            if (!list || !list->next) {   /* up to two nodes */
                struct node *n = malloc(sizeof *n);
                n->next = list;
                list = n;
            } else
                full();
            break;
        case 3: mark = line + 1; break;   /* looked at by nobody */
        default: break;
        }
        out(text);
        if (name) named(); else unnamed();
        if (list && list->next && list->next->next) bad();
    }
}
