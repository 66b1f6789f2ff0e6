int reqci(int a, int *out, int *kept);
void *find(int key);
int mode;
static void out(int n)
{
}
int main(void)
{
    int a = 1, b = 2;
    mode = 1;
    int r = reqci(3, &a, &b);
    void *p = find(r);
    if (p)
        out(r);
    else
        out(-1);
    return 0;
}
