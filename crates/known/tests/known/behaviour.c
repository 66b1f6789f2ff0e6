/* What the calls of the generated program need. Each call runs in a child of its own. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <malloc.h>
#include <dirent.h>
#include <regex.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef __int128 wide_int;

struct test {
    const char *name;
    void (*call)(void);
};

static wide_int least(wide_int a, wide_int b) { return a < b ? a : b; }
static wide_int most(wide_int a, wide_int b) { return a > b ? a : b; }

/* Memory that ends where a page begins that cannot be touched. */
enum { PAGES = 8 * 4096, OBJECTS = 16 };
static struct object {
    char *start, *at, *copy;
    long size;
} objects[OBJECTS];
static int count;
static char *report;

static void check(int holds, const char *what)
{
    if (!holds) {
        strcpy(report, what);
        _exit(1);
    }
}

static char *room(wide_int size, int zero)
{
    check(size >= 0 && size <= PAGES - 64, "no such size");
    char *start = mmap(0, PAGES + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(start + PAGES, 4096, PROT_NONE);
    memset(start, 0xa5, PAGES);
    struct object *o = &objects[count++];
    o->start = start;
    o->size = size;
    o->at = start + PAGES - size;
    memset(o->at, zero ? 0 : 0x5a, size);
    return o->at;
}

static char *words(const char *text)
{
    char *to = room(strlen(text) + 1, 0);
    return strcpy(to, text);
}

/* A string of elements of `width` bytes. If `limit` is not negative, every other one has so many
   elements and no end. */
static char *string(int round, int width, wide_int limit, int end, long *length)
{
    static const char *texts[] = {"", "ab1", "17", "a-b c", "z", "Hello"};
    const char *text = texts[round % 6];
    long n = strlen(text), total = n + 1;
    int open = limit >= 0 && (round % 2 || limit <= n);
    if (open)
        n = total = limit;
    char *to = room(total * width, 0);
    for (long i = 0; i < n; i++) {
        char c = i < (long)strlen(text) ? text[i] : 'x';
        if (width == 4)
            ((wchar_t *)to)[i] = c;
        else
            to[i] = c;
    }
    if (!open) {
        if (width == 4)
            ((wchar_t *)to)[n] = end;
        else
            to[n] = end;
    }
    *length = n;
    return to;
}

/* The last string with more room behind it. */
static char *grown(char *from, long length, wide_int size)
{
    struct object *old = &objects[count - 1];
    if (size <= old->size)
        return from;
    char *to = room(size, 0);
    memcpy(to, from, old->size);
    return to;
}

/* A file of the test's own, with something in it. */
static char *stream(void)
{
    FILE *f = tmpfile();
    fputs("hello world\n12 13\n", f);
    rewind(f);
    return (char *)f;
}

static char *pattern(void)
{
    static regex_t r;
    regcomp(&r, "[a-c]*", 0);
    return (char *)&r;
}

static void remember(void)
{
    for (int i = 0; i < count; i++) {
        objects[i].copy = malloc(objects[i].size + 1);
        memcpy(objects[i].copy, objects[i].at, objects[i].size);
    }
}

static void unchanged(char *at, wide_int written)
{
    for (int i = 0; i < count; i++) {
        struct object *o = &objects[i];
        if (o->at != at)
            continue;
        for (char *p = o->start; p < o->at; p++)
            check(*p == (char)0xa5, "memory before an object changed");
        for (long n = written; n < o->size; n++)
            check(o->at[n] == o->copy[n], "more was written than the row says");
    }
}

static int inside(char *p, char *at)
{
    for (int i = 0; i < count; i++)
        if (objects[i].at == at)
            return p >= at && p <= at + objects[i].size;
    return 0;
}

static int on_heap(char *p, wide_int size, int text, int zero)
{
    if (p == 0 || malloc_usable_size(p) < size)
        return 0;
    for (long n = 0; zero && n < size; n++)
        if (p[n] != 0)
            return 0;
    if (text && size > 0 && strlen(p) + 1 != size)
        return 0;
    free(p);
    return 1;
}

static int run(const struct test *tests, long n)
{
    int failed = 0;
    report = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (long i = 0; i < n; i++) {
        report[0] = 0;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            tests[i].call();
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
            printf("%s: waits\n", tests[i].name), failed = 1;
        else if (WIFSIGNALED(status))
            printf("%s: signal %d\n", tests[i].name, WTERMSIG(status)), failed = 1;
        else if (status != 0)
            printf("%s: %s\n", tests[i].name, report), failed = 1;
    }
    return failed;
}
