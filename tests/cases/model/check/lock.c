extern int nondet(void);
extern void bad(void), got(void);
static int locked, n;
static void lock(void) { if (locked) bad(); locked = 1; }
static void unlock(void) { if (!locked) bad(); locked = 0; }
int main(void)
{
    int request, old, noise = 0;
    do {
        lock();
        old = n;
        request = nondet();
        noise += request;
        if (request) {
            unlock();
            n++;
            got();
        }
    } while (request);
    unlock();
    return old - noise;
}
