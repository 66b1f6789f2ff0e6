#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void bad(int); void good(int);
char buf[8]; struct { int n; char text[8]; char *end; } r;
int main(int argc, char **argv) {
    r.n = 3;
    if (read(0, r.text, sizeof r.text) > 8) bad(1);
    if (r.n != 3) bad(2);
    memset(buf, 0, argc);
    if (buf[3]) good(1); else good(2);
    char *s = strchr(argv[0], '/');
    if (s) good(3); else good(4);
}
