extern int choose(void);
int out;
static int down(int n) { return n <= 0 ? 0 : 1 + down(n - 1); }
static int around(int n)
{
    if (n <= 0)
        return 0;
    return around(n - 1);
}
static void set(int *p, int v) { *p = v; }
static int twice(int v) { return 2 * v; }
static int thrice(int v) { return 3 * v; }
int main(void)
{
    int (*op)(int) = choose() ? twice : thrice;
    int local = 0;
    set(&local, op(1));
    out = local;
    down(3);
    around(1000000);
    out = 9;
    return local == 0;
}
