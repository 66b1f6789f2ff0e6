extern int in(void);
extern void done(void);
int main(void)
{
    int x = in(), y = x;
    if (x > 1000)
        while (y + 1 == x)
            ;
    done();
    return 0;
}
