extern int in(void);
extern void request(void), reply(void);
static unsigned long served, dropped;
int main(void)
{
    for (;;) {
        served++;
        if (in() == 1) {
            request();
            if (in() == 2)
                reply();
            else
                dropped++;
        }
    }
}
