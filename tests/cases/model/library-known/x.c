#include <stdlib.h>
#include <string.h>
#include <strings.h>
void bad(int); int isdigit(int); int isalpha(int); int tolower(int);
static const char *const names[] = {"get", "put", "quit"};
static const struct { char key; int value; } table[] = {{'a', 10}, {'b', 20}};
char buf[8]; struct { int n; char text[8]; char *end; } r;
static int find(const char *what) {
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], what) == 0) return i;
    return -1;
}
int main(void) {
    if (strlen("hello") != 5) bad(1);
    if (strcmp("a", "b") >= 0 || strncmp("abc", "abd", 2)) bad(2);
    if (strchr("a:b", ':') - "a:b" == 99) bad(3);
    if (!isdigit('7') || isalpha('7') || tolower('Q') != 'q' || abs(-3) != 3) bad(4);
    if (atoi("42") != 42) bad(5);
    if ("xyz"[0] != 'x' || table[1].value != 20 || table[0].key != 'a') bad(6);
    if (find("quit") != 2 || find("none") != -1) bad(7);
    strcpy(buf, "hi");
    if (buf[0] != 'h' || buf[1] != 'i' || buf[2] != 0 || strlen(buf) != 2) bad(8);
    memset(buf, 'z', 2);
    if (buf[1] != 'z' || buf[2]) bad(9);
    r.n = 7;
    bzero(&r, sizeof r);
    if (r.n) bad(10);
    r.n = strtol("12x", &r.end, 10);
    if (r.n != 12 || *r.end != 'x') bad(11);
    memmove(buf + 1, buf, 2);
    if (buf[0] != 'z' || buf[2] != 'z') bad(12);
}
