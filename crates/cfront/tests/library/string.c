typedef typeof(sizeof 0) size_t;
int printf(const char *, ...);
void free(void *);
void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t);
void *mempcpy(void *, const void *, size_t), *memccpy(void *, const void *, int, size_t);
void *memset(void *, int, size_t), *memchr(const void *, int, size_t);
void *memrchr(const void *, int, size_t), *memmem(const void *, size_t, const void *, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *), strnlen(const char *, size_t), strspn(const char *, const char *);
size_t strcspn(const char *, const char *), strxfrm(char *, const char *, size_t);
char *strcpy(char *, const char *), *strncpy(char *, const char *, size_t), *strdup(const char *);
char *stpcpy(char *, const char *), *strcat(char *, const char *), *strndup(const char *, size_t);
char *strncat(char *, const char *, size_t), *strchr(const char *, int), *strrchr(const char *, int);
char *strchrnul(const char *, int), *strpbrk(const char *, const char *);
char *strstr(const char *, const char *), *strcasestr(const char *, const char *);
char *strtok(char *, const char *), *strsep(char **, const char *);
int strcmp(const char *, const char *), strncmp(const char *, const char *, size_t);
int strcasecmp(const char *, const char *), strncasecmp(const char *, const char *, size_t);
int strcoll(const char *, const char *), bcmp(const void *, const void *, size_t);
void bzero(void *, size_t);

static int sign(int x) { return (x > 0) - (x < 0); }
static const char *const words[] = {"", "a", "abc", "abcd", "ABC", "b", "abd", "\xff", "aabcab"};
enum { count = sizeof words / sizeof *words };

static void compare(void) {
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const char *a = words[i], *b = words[j];
            printf("%d%d%d%d%d ", sign(strcmp(a, b)), sign(strncmp(a, b, 3)), sign(strcasecmp(a, b)),
                   sign(strncasecmp(a, b, 2)), sign(strcoll(a, b)));
            char *s = strstr(a, b), *c = strcasestr(a, b), *p = strpbrk(a, b);
            printf("%d %d %d ", s ? (int)(s - a) : -1, c ? (int)(c - a) : -1, p ? (int)(p - a) : -1);
            char *m = memmem(a, strlen(a), b, strlen(b));
            printf("%d %d %d\n", m ? (int)(m - a) : -1, (int)strspn(a, b), (int)strcspn(a, b));
        }
}

static void search(void) {
    const char *s = "hello, world";
    for (const char *c = "hlo dz"; ; c++) {
        char *a = strchr(s, *c), *b = strrchr(s, *c), *d = memchr(s, *c, 5), *e = memrchr(s, *c, 12);
        printf("%d %d %d %d %d\n", a ? (int)(a - s) : -1, b ? (int)(b - s) : -1, d ? (int)(d - s) : -1,
               e ? (int)(e - s) : -1, (int)(strchrnul(s, *c) - s));
        if (!*c) break;
    }
}

int main(void) {
    compare();
    search();
    char buffer[40];
    memset(buffer, '.', sizeof buffer);
    buffer[39] = 0;
    printf("%s\n", strcpy(buffer, "abc"));
    printf("%s\n", strcat(buffer, "def"));
    printf("%s\n", strncat(buffer, "ghijkl", 3));
    memmove(buffer + 2, buffer, 9);
    printf("%.11s\n", buffer);
    memmove(buffer, buffer + 3, 6);
    printf("%.11s %c\n", buffer, buffer[12]);
    strncpy(buffer, "xyz", 6);
    printf("%d %d %s %d\n", buffer[4], buffer[7], buffer, (int)strnlen(buffer, 2));
    printf("%d\n", (int)(stpcpy(buffer, "12345") - buffer));
    printf("%d\n", (int)((char *)mempcpy(buffer, "98", 2) - buffer));
    printf("%d %s\n", memccpy(buffer, "ab,cd", ',', 5) == buffer + 3, buffer);
    printf("%d %d\n", sign(memcmp("abc", "abd", 3)), sign(bcmp("abc", "abd", 2)));
    char text[] = "  one two,three ,, four";
    for (char *t = strtok(text, " ,"); t; t = strtok(0, " ,")) printf("<%s>", t);
    char more[] = "a,b,,c", *rest = more;
    for (char *t; (t = strsep(&rest, ",")); ) printf("[%s]", t);
    char *copy = strdup("copied"), *part = strndup("partial", 4);
    printf("\n%s %s %d\n", copy, part, (int)strxfrm(buffer, "transformed", 5));
    free(copy);
    free(part);
    bzero(buffer, 3);
    return buffer[2] + (int)strlen("12345678901234567");
}
