int printf(const char *, ...);
void *malloc(unsigned long);
void free(void *);

static int swap_calls;
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; swap_calls++; }
static void sort(int *a, long n) {
    if (n < 2) return;
    long last = 0;
    for (long i = 1; i < n; i++)
        if (a[i] < a[0]) swap(&a[++last], a + i);
    swap(a, a + last);
    sort(a, last);
    sort(a + last + 1, n - last - 1);
}
struct tree { struct tree *left, *right; int key; };
static struct tree *insert(struct tree **at, int key) {
    while (*at && (*at)->key != key)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    if (!*at) {
        *at = malloc(sizeof **at);
        **at = (struct tree){.key = key};
    }
    return *at;
}
static int walk(struct tree *t, void (*visit)(int, void *), void *arg) {
    if (!t) return 0;
    int n = walk(t->left, visit, arg);
    visit(t->key, arg);
    n += walk(t->right, visit, arg) + 1;
    free(t);
    return n;
}
static void show(int key, void *arg) { printf("%d%s", key, (char *)arg); }
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int (*choose(char c))(int, int) { return c == '+' ? add : sub; }
static int counter(void) { static int n; return ++n; }
static void vla(int n, int m, double a[n][m]) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = i * 10 + j;
}

int main(void) {
    int a[] = {5, 3, 9, 1, 7, 3, 0};
    sort(a, sizeof a / sizeof *a);
    for (int i = 0; i < 7; i++) printf("%d ", a[i]);
    struct tree *root = 0;
    for (unsigned i = 1; i < 200; i = i * 3 + 1) insert(&root, i % 17);
    printf("\n%d\n", walk(root, show, ", "));
    printf("%d %d\n", choose('+')(7, 3), choose('-')(7, 3));
    printf("%d\n", counter());
    printf("%d\n", counter());
    double d[3][4];
    vla(3, 4, d);
    printf("%g %g\n", d[2][3], d[1][0]);
    int *p = a + 6, **pp = &p;
    *--*pp += 100;
    printf("%d %ld %d\n", *p, (long)(p - a), p > a && p <= &a[6]);
    char bytes[8];
    *(long *)bytes = 0x0102030405060708;
    printf("%d %d\n", bytes[0], *(short *)(bytes + 6));
    int i = 2;
    printf("%d %d\n", i[a], "abcdef"[i]);
    void *v = a;
    printf("%d\n", *(int *)(v + 4));
    int x = 1;
    int *restrict r = &x;
    x = x + 1 + 0 * *r;
    printf("%d\n", *(&x) + sizeof(int[3]));
    return swap_calls;
}
