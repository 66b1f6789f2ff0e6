extern int request(void);
extern void take(void), release(void);
static int slots[2];

int main(void)
{
    for (;;) {
        int k = request();
        if (k < 0 || k > 1)
            return 0;
        if (slots[k]) {
            slots[k] = 0;
            release();
        } else {
            slots[k] = 1;
            take();
        }
    }
}
