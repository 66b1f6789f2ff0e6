/* A parser that is given one byte at a time. It skips by a number that nobody knows; the byte that it reads next tells where it is. */
int input(void);
void take(void);
void done(void);
static void feed(const char *data, unsigned long len) {
    for (const char *p = data; p != data + len; p++) {
        unsigned long n = input();
        p += n;
        if (*p == 'x')
            take();
        else
            take();
    }
    done();
}
int main(void) {
    for (;;) {
        char byte = input();
        feed(&byte, 1);
    }
}
