/* The end of the program and what runs before it. A file of its own: where nothing is registered, the
   analyses need none of it. */

static struct {
    void (*plain)(void);
    void (*with)(int, void *);
    void *arg;
} __cwolf_at_exit[64];
static int __cwolf_at_exit_count;
static void (*__cwolf_at_quick_exit[64])(void);
static int __cwolf_at_quick_exit_count;

int atexit(void (*function)(void))
{
    if (__cwolf_at_exit_count == 64)
        return -1;
    __cwolf_at_exit[__cwolf_at_exit_count].with = 0;
    __cwolf_at_exit[__cwolf_at_exit_count++].plain = function;
    return 0;
}

int on_exit(void (*function)(int, void *), void *arg)
{
    if (__cwolf_at_exit_count == 64)
        return -1;
    __cwolf_at_exit[__cwolf_at_exit_count].arg = arg;
    __cwolf_at_exit[__cwolf_at_exit_count++].with = function;
    return 0;
}

int at_quick_exit(void (*function)(void))
{
    if (__cwolf_at_quick_exit_count == 64)
        return -1;
    __cwolf_at_quick_exit[__cwolf_at_quick_exit_count++] = function;
    return 0;
}

_Noreturn void exit(int status)
{
    while (__cwolf_at_exit_count > 0) {
        int last = --__cwolf_at_exit_count;
        if (__cwolf_at_exit[last].with)
            __cwolf_at_exit[last].with(status, __cwolf_at_exit[last].arg);
        else
            __cwolf_at_exit[last].plain();
    }
    __cwolf_halt(status);
}

_Noreturn void quick_exit(int status)
{
    while (__cwolf_at_quick_exit_count > 0)
        __cwolf_at_quick_exit[--__cwolf_at_quick_exit_count]();
    __cwolf_halt(status);
}

_Noreturn void _Exit(int status)
{
    __cwolf_halt(status);
}

_Noreturn void _exit(int status)
{
    __cwolf_halt(status);
}
