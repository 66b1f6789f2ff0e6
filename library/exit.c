/* The end of the program and what runs before it. A file of its own: where nothing is registered, the
   analyses need none of it. */

static void (*__cwolf_at_exit[64])(void);
static int __cwolf_at_exit_count;

int atexit(void (*function)(void))
{
    if (__cwolf_at_exit_count == 64)
        return -1;
    __cwolf_at_exit[__cwolf_at_exit_count++] = function;
    return 0;
}

_Noreturn void exit(int status)
{
    while (__cwolf_at_exit_count > 0)
        __cwolf_at_exit[--__cwolf_at_exit_count]();
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
