int printf(const char *, ...);

static int grade(int x) {
    int y = 0;
    switch (x) {
        y = 1000;
    case 1:
    case 2: y++;
    case 5 ... 7: y += 10; break;
    default: y += 100;
    case -1: y--;
    }
    return y;
}

static void duff(char *to, const char *from, int count) {
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7: *to++ = *from++;
    case 6: *to++ = *from++;
    case 5: *to++ = *from++;
    case 4: *to++ = *from++;
    case 3: *to++ = *from++;
    case 2: *to++ = *from++;
    case 1: *to++ = *from++;
        } while (--n > 0);
    }
}

static int interpret(const char *code) {
    static void *const ops[] = {&&inc, &&dec, &&twice, &&stop};
    int acc = 0;
    goto *ops[*code++ - 'a'];
inc: acc++; goto *ops[*code++ - 'a'];
dec: acc--; goto *ops[*code++ - 'a'];
twice: acc *= 2; goto *ops[*code++ - 'a'];
stop: return acc;
}

static int into_loop(int x) {
    int n = 0;
    if (x > 3) goto inside;
    for (int i = 0; i < 3; i++) {
        n += 10;
    inside:
        n++;
        if (x > 3) break;
    }
    return n;
}

static int nested(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int j = 0;
        while (1) {
            if (++j > i) break;
            if (j % 2) continue;
            switch (j) {
            case 4: goto done;
            case 2: sum += 100; continue;
            default: break;
            }
            sum++;
        }
        do { if (i == 2) continue; sum += j; } while (0);
    }
done:
    return sum;
}

static void destroy(int *p) { printf("~%d ", *p); }

static int cleanups(int n) {
    int a __attribute__((cleanup(destroy))) = 1;
    for (int i = 0; i < n; i++) {
        int b __attribute__((cleanup(destroy))) = 10 + i;
        if (i == 1) continue;
        if (i == 3) break;
        if (n == 9 && i == 2) goto out;
        if (n == 7 && i == 2) return b + a;
        int c __attribute__((cleanup(destroy))) = 20 + i;
        printf("body%d ", i);
    }
    printf("after ");
out:
    return a++;
}

static int arrays(int n) {
    int total = 0;
    for (int i = 1; i <= n; i++) {
        int a[i], b[i][2];
        for (int j = 0; j < i; j++) { a[j] = j; b[j][1] = i; }
        if (i == 3) continue;
        total += a[i - 1] + b[i - 1][1] + sizeof a + sizeof b;
    }
again:;
    char more[n];
    more[n - 1] = total;
    if (--n > 1) goto again;
    return total + more[n];
}

static int sum(int n, ...) {
    __builtin_va_list ap, copy;
    __builtin_va_start(ap, n);
    __builtin_va_copy(copy, ap);
    int s = 0;
    while (n--) s += __builtin_va_arg(ap, int);
    s += __builtin_va_arg(ap, double) * 10;
    s += __builtin_va_arg(copy, int) * 1000;
    __builtin_va_end(ap);
    return s;
}

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int apply(int (*f)(int), int x) { return (*f)(x) + (**f)(x + 1); }

int main(void) {
    for (int i = -2; i < 9; i++) printf("%d ", grade(i));
    char buffer[32] = {0};
    duff(buffer, "the quick brown fox jumps", 21);
    printf("\n%s\n", buffer);
    printf("%d %d %d\n", interpret("aaacbd"), into_loop(1), into_loop(5));
    printf("%d\n", nested(6));
    printf("=%d\n", cleanups(5));
    printf("=%d\n", cleanups(9));
    printf("=%d\n", cleanups(7));
    printf("%d %d %d %d\n", arrays(5), sum(3, 1, 2, 3, 0.5), fib(15), apply(fib, 8));
    unsigned n = 0;
    while (n++ < 10) if (n == 5) break;
    for (;;) if (n-- == 0) break;
    return n & 77;
}
