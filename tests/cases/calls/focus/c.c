static int leaf(int n) { return n + 1; }
static int twig(int n) { return leaf(n) + leaf(n + 1); }
static int branch(int n) { return twig(n) + leaf(n); }
int tree(int n) { return branch(n); }
int main(void) { return tree(1) + leaf(2); }
