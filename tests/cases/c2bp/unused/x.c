static int count;

#if 0
static void gone(int x) {
    if (x) goto out;
    count++;
out:
    count--;
}
#endif

static void never(void) {
    count = 2;
out:
    count++;
}

static void by_address(void) { count = 3; }

static void handler(void) { count = 4; }
void (*handlers[])(void) = {handler};

int run(int x, void (*then)(void)) {
    if (x) goto out;
    count = 1;
#if 0
out: count = 5;
#else
out: count = 0;
#endif
    then();
    return x;
}

int main(void) { return run(count, by_address); }
