int nd(void);
void out(int);
int main(void)
{
    int x = nd();
    if (x >= 0 && x <= 2)
        out(x);
    return 0;
}
