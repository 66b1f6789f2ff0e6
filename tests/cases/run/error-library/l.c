#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char text[10] = "abcdefg";
static char bytes[4] = {'a', 'b', 'c', 'd'};

int null_time(void) { return gmtime(NULL)->tm_year; }
int closed(void) {
    FILE *f = tmpfile();
    fclose(f);
    return fputs("x", f);
}
int overlap(void) {
    memcpy(text + 1, text, 4);
    return text[0];
}
int unterminated(void) { return puts(bytes); }
int too_small(void) {
    char b[4];
    return sprintf(b, "%d", 12345);
}
int too_few(void) { return printf("%d %s\n", 1); }
int constant(void) {
    const int c = 3;
    int *p = (int *)&c;
    *p = 4;
    return c;
}
int numbered(void) { return printf("%2$d %1$d\n", 1, 2) != 4; }
int main(void) { return 0; }
