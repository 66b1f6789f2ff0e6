extern void set_handler(void (*)(void)), set_buffer(int *), poll_events(void);
extern int puts(const char *);
static int state, buffer, own;
static void handler(void) { state = 2; }
int main(void)
{
    set_handler(handler);
    set_buffer(&buffer);
    state = 1, buffer = 1, own = 1;
    puts("ready");
    own = 2;
    poll_events();
    return 0;
}
