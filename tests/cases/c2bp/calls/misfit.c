int g;
int in(void);

long f(long x)
{
    if (x == 5)
        IN: g = 1;
    return x;
}

int main(void)
{
    int (*h)(int) = (int (*)(int)) f;
    int a = in();
    int r = h(a);
L:  return g + r;
}
