/* Waits only with interrupts enabled. */
void disable_interrupts(void);
void enable_interrupts(void);
void wait_for_event(void);
int ready(void);

static int pending;

static void take(void)
{
    disable_interrupts();
    if (pending > 0)
        pending--;
    enable_interrupts();
}

int main(void)
{
    for (int n = 0; n < 4; n++) {
        if (!ready())
            wait_for_event();
        take();
    }
    return 0;
}
