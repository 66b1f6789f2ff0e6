#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <search.h>
#include <unistd.h>
#include <libintl.h>
#include <langinfo.h>
#include <locale.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void last(void) { printf("last\n"); }
static void with(int status, void *p) { printf("with %d %s\n", status, (char *)p); }
static void handler(int n) { printf("signal %d\n", n); }
int main(void) {
    FILE *f = tmpfile();
    fprintf(f, "line one\nline two\n\nlast");
    rewind(f);
    char *line = 0, b[40];
    size_t room = 0;
    ssize_t n;
    while ((n = getline(&line, &room, f)) >= 0) printf("%zd %s|", n, line);
    printf("%d %d\n", feof(f), ferror(f));
    fseek(f, 5, SEEK_SET);
    printf("%ld ", ftell(f));
    printf("%c ", fgetc(f));
    printf("%d ", ungetc('Z', f));
    printf("%ld ", ftell(f));
    printf("%c\n", fgetc(f));
    fseek(f, -4, SEEK_END);
    printf("%zu ", fread(b, 2, 5, f));
    printf("%.4s %d\n", b, feof(f));
    rewind(f);
    n = getdelim(&line, &room, 't', f);
    printf("%zd %s\n", n, line);
    fpos_t pos;
    fgetpos(f, &pos);
    fgets(b, 4, f);
    printf("%s\n", b);
    fsetpos(f, &pos);
    fgets(b, 10, f);
    printf("%s\n", b);
    printf("%d\n", fclose(f));
    free(line);

    char *text = 0;
    size_t size = 0;
    f = open_memstream(&text, &size);
    fprintf(f, "%d+%d", 1, 2);
    fflush(f);
    printf("%s %zu\n", text, size);
    fputs("=3", f);
    fclose(f);
    printf("%s %zu\n", text, size);
    free(text);
    char data[] = "12 34 word";
    f = fmemopen(data, strlen(data), "r");
    int x, y;
    printf("%d ", fscanf(f, "%d %d %s", &x, &y, b));
    printf("%d %d %s %d\n", x, y, b, fgetc(f));
    fclose(f);
    f = fmemopen(b, sizeof b, "w");
    fprintf(f, "into %s", "memory");
    fclose(f);
    printf("%s\n", b);
    printf("%d ", fputc('x', stdin));
    printf("%d\n", ferror(stdin) != 0);
    f = tmpfile();
    printf("%d ", putw(-65, f));
    rewind(f);
    printf("%d ", getw(f));
    printf("%d\n", getw(f));
    fclose(f);
    errno = 0;
    printf("%d ", fopen("x", "q") == 0);
    printf("%d\n", errno);
    int list[10] = {5, 3, 9}, key = 9;
    size_t count = 3;
    printf("%d ", (int)((int *)lfind(&key, list, &count, sizeof key, compare) - list));
    key = 4;
    printf("%d ", (int)((int *)lsearch(&key, list, &count, sizeof key, compare) - list));
    printf("%zu\n", count);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    printf("%d %d\n", sigismember(&set, SIGINT), sigismember(&set, SIGTERM));
    sigfillset(&set);
    sigdelset(&set, SIGINT);
    printf("%d %d\n", sigismember(&set, SIGINT), sigismember(&set, SIGTERM));
    struct sigaction act, old;
    memset(&act, 0, sizeof act);
    act.sa_handler = handler;
    printf("%d ", sigaction(SIGUSR1, &act, &old));
    printf("%d\n", old.sa_handler == SIG_DFL);
    raise(SIGUSR1);
    printf("%d ", sigaction(SIGUSR1, 0, &old));
    printf("%d\n", old.sa_handler == handler);
    printf("%s %s %s\n", gettext("text"), ngettext("one", "many", 1), ngettext("one", "many", 2));
    printf("%s %s %s %s\n", nl_langinfo(CODESET), nl_langinfo(RADIXCHAR), nl_langinfo(DAY_1), nl_langinfo(ABMON_12));
    printf("%s\n", setlocale(LC_ALL, 0));
    setenv("A", "1", 1);
    setenv("A", "2", 0);
    printf("%s ", getenv("A"));
    setenv("A", "3", 1);
    printf("%s ", getenv("A"));
    putenv("B=4");
    unsetenv("A");
    printf("%d %s ", getenv("A") == 0, getenv("B"));
    errno = 0;
    printf("%d ", setenv("x=y", "1", 1));
    printf("%d\n", errno);
    clearenv();
    printf("%d\n", getenv("B") == 0);
    void *p = 0;
    printf("%d ", posix_memalign(&p, 64, 100));
    printf("%d ", (int)((size_t)p % 64));
    free(p);
    printf("%d ", posix_memalign(&p, 3, 100));
    p = aligned_alloc(32, 64);
    printf("%d ", (int)((size_t)p % 32));
    free(p);
    errno = 0;
    printf("%d ", reallocarray(0, (size_t)-1 / 2, 3) == 0);
    printf("%d ", errno);
    errno = 0;
    printf("%d ", calloc((size_t)-1 / 2, 3) == 0);
    printf("%d\n", errno);
    div_t d = div(-7, 2);
    lldiv_t ll = lldiv(7, -2);
    printf("%d %d %lld %lld\n", d.quot, d.rem, ll.quot, ll.rem);
    atexit(last);
    on_exit(with, "argument");
    exit(5);
}
