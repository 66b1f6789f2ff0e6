/* What was written through is not null. */
int input(void);
void none(void);
static int x;
static int *get(void) {
    int *r = 0;
    if (input())
        r = &x;
    return r;
}
int main(void) {
    int *p = get();
    *p = 1;
    if (!p)
        none();
    return 0;
}
