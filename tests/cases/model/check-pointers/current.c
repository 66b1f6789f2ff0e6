struct conn { int state, n; };
static struct conn a, b, *cur;
int in(void);

int main(void)
{
    cur = &a;
    for (;;) {
        int x = in();
        if (x == 0)
            cur = &a;
        else if (x == 1)
            cur = &b;
        else if (x == 2)
            a.state = 1;
        else if (x == 3)
            b.state = 2;
        else if (cur == &a)
            cur->state = 3;
    }
}
