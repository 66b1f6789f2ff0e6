void ok(int); void bad(void);
struct point { int x; short y; struct { char tag; int *to; } in; };
static struct point a, b, row[3];
static int n;
static struct point make(int x, short y) { struct point r = {x, y, {'m', &n}}; return r; }
static int sum(struct point p) { return p.x + p.y; }
int main(void) {
    a = (struct point){1, 2, {'c', &n}};
    b = a;
    if (b.x == 1 && b.y == 2 && b.in.tag == 'c' && b.in.to == &n) ok(1); else bad();
    a = make(3, 4);
    if (a.x == 3 && a.in.tag == 'm') ok(2); else bad();
    row[1] = a;
    struct point *p = &row[1];
    b = *p;
    *p = make(5, 6);
    if (b.y == 4 && row[1].x == 5 && row[0].x == 0) ok(3); else bad();
    if (sum(make(7, 1)) == 8 && sum(b) == 7) ok(4); else bad();
    __builtin_memset(&a, 0, sizeof a);
    if (!a.x && !a.in.to) ok(5); else bad();
    __builtin_memcpy(&row[2], &b, sizeof b);
    if (row[2].y == 4 && row[2].in.to == &n) ok(6); else bad();
}
