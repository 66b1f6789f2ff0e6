void _cwolf_event(const char *);
struct item { int key; char name[8]; } items[3];
static int count(struct item *from, const struct item *to) {
    int n = 0;
    for (; from != to && from <= to; ++from) { n++; _cwolf_event("item"); }
    return n;
}
int main(void) { count(items, items + 2); count(&items[2], items + 3); }
