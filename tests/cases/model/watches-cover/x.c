int nd(void);
void f(void);
int g, h;
int main(void)
{
    g = nd();
    f();
    h = nd();
    return 0;
}
