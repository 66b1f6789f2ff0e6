#include <stdio.h>
#include <stdlib.h>
struct node { char op; struct node *l, *r; };
void push(void);
void add(void);
static int look;
static struct node *make(char op, struct node *l, struct node *r) {
    struct node *n = malloc(sizeof *n);
    n->op = op;
    n->l = l;
    n->r = r;
    return n;
}
static struct node *expr(void);
static struct node *atom(void) {
    struct node *n;
    if (look != '(') {
        look = getchar();
        return make('n', 0, 0);
    }
    look = getchar();
    n = expr();
    look = getchar();
    return n;
}
static struct node *expr(void) {
    struct node *n = atom();
    while (look == '+') {
        look = getchar();
        n = make('+', n, atom());
    }
    return n;
}
static void emit(struct node *n) {
    if (n->op == '+') {
        emit(n->l);
        emit(n->r);
        add();
    } else
        push();
    free(n);
}
int main(void) {
    look = getchar();
    emit(expr());
    return 0;
}
