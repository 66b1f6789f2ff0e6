/* The embedded controller with the rule ec-lock.slic in it: C2BP takes programs, not rules. */
static int held;
extern void __VERIFIER_error(void);

static void needs_lock(void) {
    if (!held) __VERIFIER_error();
}

int thinkpad_ec_try_lock(void) {
    int busy = anything();
    if (busy == 0) held = 1;
    return busy;
}

int thinkpad_ec_lock(void) {
    int busy;
    if (held) __VERIFIER_error();
    busy = thinkpad_ec_try_lock();
    return busy;
}

void thinkpad_ec_unlock(void) {
    needs_lock();
    held = 0;
}

int thinkpad_ec_read_row(const struct thinkpad_ec_row *args, struct thinkpad_ec_row *data) {
    needs_lock();
    return anything();
}

int thinkpad_ec_try_read_row(const struct thinkpad_ec_row *args, struct thinkpad_ec_row *data) {
    needs_lock();
    return anything();
}

int thinkpad_ec_prefetch_row(const struct thinkpad_ec_row *args) {
    needs_lock();
    return anything();
}
