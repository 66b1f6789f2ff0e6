extern int ask(void);
extern void send(void);
static int level;

static void err(int n)
{
    level = n;
}

int main(void)
{
    for (;;) {
        if (ask())
            err(2);
        if (level == 2) {
            send();
            err(0);
        }
    }
}
