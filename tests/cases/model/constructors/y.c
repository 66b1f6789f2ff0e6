void _cwolf_event(const char *);
int atexit(void (*)(void));
void exit(int);
__attribute__((constructor)) static void first(void) { _cwolf_event("constructor"); }
__attribute__((destructor)) static void last(void) { _cwolf_event("destructor"); }
static void bye(void) { _cwolf_event("bye"); }
int main(int argc, char **argv)
{
    atexit(bye);
    if (argc > 1)
        exit(3);
    return 2;
}
