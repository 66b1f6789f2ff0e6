/* Where the lives of variables begin and end: only of those whose address is known. */
void use(int *);
int *keep;
void block(void) { { int x, y = 3; use(&x); use(keep + y); } use(keep); }
void loop(int n)
{
    for (int i = 0; i < n; use(&i)) {
        int x = i;
        if (n == 3)
            continue;
        if (n == 4)
            break;
        if (n == 5)
            return;
        use(&x);
    }
}
void out(int n) { { int x; use(&x); if (n) goto end; use(keep); } end: use(keep); }
void in(int n)
{
    if (n == 7)
        goto inside;
    {
        int x = 1;
    inside:
        use(&x);
    }
    if (n++ < 9)
        goto inside;
}
void cases(int n)
{
    switch (n) {
        int x;
    case 1:
        x = 1;
        use(&x);
        break;
    default:
        use(&x);
    }
}
void literal(int n)
{
    while (n--)
        use(&(int){n});
    use((int[]){1, 2});
}
int value(int n)
{
    return ({ int x = n; use(&x); x; });
}
struct two { int v[2]; };
struct two get(void);
int temporary(void)
{
    int *p = get().v;
    use(get().v);
    return *p;
}
int computed(int n)
{
    void *to = n ? &&here : &&there;
    { int x; use(&x); here: goto *to; }
there:
    return n;
}
