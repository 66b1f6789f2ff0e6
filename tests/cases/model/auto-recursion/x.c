void enter(void); void leave(void); void deep(void); int nd(void);
struct node { struct node *child; int depth; };
static void walk(struct node *n, int level) {
    enter();
    if (level < 3 && nd()) walk(n, level + 1);
    if (level > 3) deep();
    leave();
}
int main(void) { struct node root = {0, 0}; walk(&root, 0); }
