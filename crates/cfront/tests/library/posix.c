typedef typeof(sizeof 0) size_t;
int printf(const char *, ...);
unsigned short htons(unsigned short), ntohs(unsigned short);
unsigned int htonl(unsigned int), ntohl(unsigned int);
void swab(const void *, void *, long);
typedef struct { unsigned long words[128 / sizeof(unsigned long)]; } sigset_t;
int sigemptyset(sigset_t *), sigfillset(sigset_t *), sigaddset(sigset_t *, int);
int sigdelset(sigset_t *, int), sigismember(const sigset_t *, int);
void *lfind(const void *, const void *, size_t *, size_t, int (*)(const void *, const void *));
void insque(void *, void *), remque(void *);
double difftime(long, long);
int *__errno_location(void);

static int equal(const void *a, const void *b) { return *(const int *)a != *(const int *)b; }

static void orders(void) {
    static const unsigned numbers[] = {0, 1, 0x12345678, 0xfffffffe, 0x80000001};
    for (int i = 0; i < 5; i++)
        printf("%x %x %x %x\n", htonl(numbers[i]), ntohl(numbers[i]), htons(numbers[i]), ntohs(numbers[i]));
    char text[] = "abcdefg", out[8] = "zzzzzzz";
    swab(text, out, 5);
    printf("%s\n", out);
    swab(text, out, -2);
    printf("%s\n", out);
}

static void signals(void) {
    sigset_t set;
    for (int full = 0; full < 2; full++) {
        printf("%d:", full ? sigfillset(&set) : sigemptyset(&set));
        for (int n = 1; n <= 64; n++)
            printf(" %d", sigismember(&set, n));
        static const int numbers[] = {-1, 0, 1, 9, 31, 32, 33, 34, 64, 65};
        for (int i = 0; i < 10; i++) {
            *__errno_location() = 0;
            int added = sigaddset(&set, numbers[i]), is = sigismember(&set, numbers[i]);
            int gone = sigdelset(&set, numbers[i]), was = sigismember(&set, numbers[i]);
            printf("\n%d: %d %d %d %d errno %d", numbers[i], added, is, gone, was, *__errno_location());
        }
        printf("\n");
    }
}

struct item { struct item *next, *before; int value; };

static void queues(void) {
    int list[] = {4, 5, 6, 5}, key = 5, other = 7;
    size_t count = 4;
    int *found = lfind(&key, list, &count, sizeof *list, equal);
    printf("%d %d\n", (int)(found - list), lfind(&other, list, &count, sizeof *list, equal) == 0);
    struct item items[4] = {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}};
    insque(&items[0], 0);
    insque(&items[1], &items[0]);
    insque(&items[2], &items[0]);
    insque(&items[3], &items[1]);
    remque(&items[2]);
    for (struct item *i = items; i; i = i->next)
        printf("%d (%d) ", i->value, i->before ? i->before->value : 0);
    printf("\n%g %g\n", difftime(10, 3), difftime(-1, 9000000000));
}

int main(void) {
    orders();
    signals();
    queues();
    return 0;
}
