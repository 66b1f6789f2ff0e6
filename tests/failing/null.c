// verify:
struct node { int v; struct node *next; };
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    struct node a = {1, 0}, *p = &a;
    if (__VERIFIER_nondet_int() == 9)
        p = p->next;
    return p->v;
}
