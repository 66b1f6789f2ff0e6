struct pair { int x, y; };
struct big { struct pair p; int a[4]; } big, *pb;
struct pair make(int, int), use(struct pair);
int sum(struct pair, struct big);

int field_of_call(void) { return make(1, 2).y; }
struct pair through(void) { return use(make(1, 2)); }
struct pair choose(int c, struct pair a, struct pair b) { return c ? a : make(3, 4); }
int choose_field(int c, struct pair a, struct pair b) { return (c ? a : b).x; }
void copy(struct big *to) { *to = *pb = big; }
int saved(struct pair a) { return sum(a, (a.x = 3, big)); }
struct pair init(int i) {
    struct pair p = {.y = i++, .x = i};
    return p;
}
void partly(void) {
    struct big b = {.a = {[2] = 5}};
    pb = &b;
}
struct pair *literal(int x) { return &(struct pair){x, sum((struct pair){1}, big)}; }
char string(int i) {
    char s[6] = "abc", t[] = "xyz";
    return s[i] + t[0];
}
int assigned_field(struct pair a, struct pair b) { return (a = b).y; }
int array_in_call(int i) {
    struct big get(void);
    return get().a[i];
}
union u { int i; float f; char c[4]; };
int pun(float f) { return ((union u){.f = f}).i; }
