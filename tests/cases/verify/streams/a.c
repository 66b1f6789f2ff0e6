#include <stdio.h>
struct log { FILE *out; int level; };
void put(FILE *f, int n) { fprintf(f, "%d\n", n); }
void say(struct log *log, const char *text) {
    if (log && log->out && text && log->level > 0)
        fputs("text\n", log->out);
}
