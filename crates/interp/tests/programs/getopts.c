#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <error.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int seen;
static struct option table[] = {{"all", no_argument, 0, 'a'},       {"file", required_argument, 0, 'f'},
                                {"level", optional_argument, 0, 'l'}, {"set", no_argument, &seen, 7},
                                {"alpha", no_argument, 0, 1000},    {0, 0, 0, 0}};
static void one(const char *letters, int how, const char *line) {
    char text[200], *args[30] = {"prog"};
    int n = 1;
    strcpy(text, line);
    for (char *p = strtok(text, " "); p; p = strtok(0, " ")) args[n++] = p;
    args[n] = 0;
    optind = 0;
    seen = 0;
    printf("%s [%s]:", letters, line);
    int c, index = -1;
    for (;;) {
        c = how == 0 ? getopt(n, args, letters) : how == 1 ? getopt_long(n, args, letters, table, &index) : getopt_long_only(n, args, letters, table, &index);
        if (c == -1) break;
        printf(" %d(%s)", c, optarg ? optarg : "-");
        if (c == '?' || c == ':') printf("{%d}", optopt);
        if (index >= 0) printf("<%d>", index);
        index = -1;
    }
    printf(" %d seen %d:", optind, seen);
    for (int i = 1; i < n; i++) printf(" %s", args[i]);
    printf("\n");
}
int main(void) {
    static const char *lines[] = {"", "-a", "-ab", "-a -b x", "x -a y -b", "-f v", "-fv", "-f", "-x", "-ax", "-- -a", "x -- -a", "-a - b", "-l5", "-l 5", "x y z", "-b -f x y -a z", "--all", "--al", "--a", "--file=v", "--file v", "--file", "--level", "--level=3", "--set x", "--nope", "--all=3", "-a --file v x --set", "-file v", "-all", "-alx", "x --all -- --set", "-:", "-a x -f y z -b w"};
    static const char *letters[] = {"abf:l::", ":abf:l::", "+abf:l::", "-abf:l::"};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < sizeof lines / sizeof *lines; k++)
            for (int how = 0; how < 3; how++) one(letters[i], how, lines[k]);
    errno = 2;
    warn("cannot %s", "read");
    warnx("just %d", 3);
    warn(0);
    fflush(stdout);
    error(0, 0, "plain %d", 1);
    error(0, 13, "with %s", "reason");
    error_at_line(0, 1, "file.c", 12, "at %d", 5);
    errno = 5;
    perror("perror");
    err(3, "end %d", 4);
}
