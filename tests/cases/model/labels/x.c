extern int sys_read(void);
extern void sys_done(void);
extern void _cwolf_event(const char *);
int mode, seen;
int main(void)
{
    mode = sys_read();
    if (mode == 1)
        _cwolf_event("one");
    else if (mode > 1)
        seen = mode;
    sys_done();
    return mode;
}
