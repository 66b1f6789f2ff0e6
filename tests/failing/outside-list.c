// verify:
// Pointers from outside lead to memory with the contents of the run.
struct node { struct node *next; int v; };
extern struct node *get(void);
void reach_error(void);
int main(void)
{
    struct node *p = get();
    if (p && p->next && p->next->v == 99 && p->v == 3)
        reach_error();
    return 0;
}
