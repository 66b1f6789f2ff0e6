#include <stdlib.h>
void first(void); void second(void); void third(void); void bad(void);
struct job { void (*run)(void); };
struct list { struct job *job; struct list *next; };
static void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
static struct job *new_job(void (*run)(void)) { struct job *j = xmalloc(sizeof *j); j->run = run; return j; }
static struct list *new_list(struct job *job) { struct list *l = xmalloc(sizeof *l); l->job = job; l->next = 0; return l; }
int main(void) {
    struct job *a = new_job(first), *b = new_job(second);
    struct list *l = new_list(a);
    a->run(); b->run();
    if (l->job != a || a == b) bad();
    b = realloc(b, 2 * sizeof *b);
    b->run();
    b->run = third;
    b->run();
    l->job->run();
    free(a); free(b); free(l);
}
