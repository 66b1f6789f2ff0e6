/* One bit decides twice. */
int input(void);
void lock(void);
void unlock(void);
int main(void) {
    for (;;) {
        int guarded = input() & 1;
        if (guarded)
            lock();
        input();
        if (guarded)
            unlock();
    }
}
