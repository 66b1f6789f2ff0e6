int a, b;
extern void fill(int *p);
static int *where(int **table, int n) { return table[n]; }
int main(void)
{
    int *table[2] = { &a, &b };
    a = 1;
    *where(table, 0) = 2;
    if (a == 1)
        b = 1;
    a = 1;
    fill(&a);
    return a == 1;
}
