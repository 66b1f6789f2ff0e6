int printf(const char *, ...);

struct point { int x, y; };
struct line { struct point from, to; char name[8]; };
union number { int i; float f; unsigned char bytes[8]; double d; };
struct node { struct node *next; int value; };
struct odd { char c; struct { short s; union { int i; char d[3]; }; }; long long l[2]; } __attribute__((packed));
struct flex { int n; int data[]; };

static struct point make(int x, int y) { return (struct point){x, y}; }
static struct point add(struct point a, struct point b) { a.x += b.x; a.y += b.y; return a; }
static struct line join(struct point a, struct point b) {
    struct line l = {.to = b, .name = "ab"};
    l.from = a;
    return l;
}
static int length(struct node *n) { return n ? 1 + length(n->next) : 0; }

static struct { int a, b[3]; } table[] = {[2] = {1, {2, 3}}, [0].b[1] = 7, {5}};
static int matrix[2][3] = {{1, 2}, {[2] = 6}};
static char *const names[] = {"zero", "one", [4] = "four"};
static struct flex flex = {2, {10, 20}};

int main(void) {
    struct point p = add(make(1, 2), add(make(10, 20), make(100, 200)));
    printf("%d %d %d\n", p.x, p.y, make(7, 8).y);
    struct line l = join(p, make(3, 4)), m, *q = &m;
    m = *q = l;
    m.from.x++;
    printf("%d %d %d %s\n", l.from.x, m.from.x, q->to.y, m.name);
    printf("%d\n", (l = m).from.x);
    printf("%d\n", (p.x > 5 ? p : l.to).y);
    union number u = {.f = 1.5f};
    printf("%x %d\n", u.i, u.bytes[3]);
    u.d = -2;
    printf("%x %d\n", u.bytes[7], sizeof u);
    struct node a = {0, 1}, b = {&a, 2}, c = {.next = &b};
    printf("%d %d %d\n", length(&c), c.next->next->value, c.value);
    struct odd o = {'x', {3, {-1}}, {5, 6}};
    printf("%d %d %d %d %lld\n", (int)sizeof o, o.s, o.d[1], (int)__builtin_offsetof(struct odd, l[1]), o.l[1]);
    printf("%d %d %d %d %d\n", (int)sizeof table, table[0].b[1], table[1].a, table[2].b[1], matrix[1][2]);
    printf("%s %s %d %d\n", names[1], names[4], names[3] == 0, flex.data[1]);
    struct point *lit = &(struct point){p.x, .y = p.y * 2};
    lit->x--;
    printf("%d %d\n", lit->x, lit->y);
    struct point ps[3] = {{1}, make(4, 5)};
    for (struct point *s = ps; s < ps + 3; s++) printf("(%d %d)", s->x, s->y);
    int (*pm)[3] = matrix;
    printf("\n%d\n", (*++pm)[2]);
    printf("%d\n", pm[-1][1]);
    struct point v = ({ struct point t = p; t.x = -t.x; t; });
    printf("%d %d\n", v.x, ({ struct point t = {1, 2}; t; }).y);
    char text[] = "hello", *t = text;
    while (*t) *t++ -= 32;
    printf("%s %zu\n", text, sizeof text);
    return 0;
}
