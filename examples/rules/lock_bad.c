/* Releases the lock twice when a packet arrives. */
int __VERIFIER_nondet_int(void);

static int held;

void lock(void) { held = 1; }
void unlock(void) { held = 0; }

int main(void)
{
    int packets = 0, old;
    do {
        lock();
        old = packets;
        if (__VERIFIER_nondet_int()) {
            unlock();
        }
    } while (packets != old);
    unlock();
    return 0;
}
