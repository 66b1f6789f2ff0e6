extern int in(void);
extern void bad(void);
int main(void)
{
    int x = in(), y = x;
    if (x > 1000 && y + 1 == x)
        bad();
    return 0;
}
