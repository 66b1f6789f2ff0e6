#include <alloca.h>
#include <stdio.h>
struct two { int v[2]; };
static struct two get(int n) { return (struct two){ { n, n + 1 } }; }
static int *p, *q;
int main(int argc, char **argv)
{
#ifdef BLOCK
    { int x = 3; p = &x; }
#elif defined LOOP
    for (int i = 0; i < 2; i++) {
        int x = i;
        if (i == 1)
            *p = 5;
        p = &x;
    }
#elif defined CONTINUE
    for (int i = 0; i < 2; i++) {
        int x = i;
        p = &x;
        continue;
    }
#elif defined INIT
    for (int i = 0; i < 2; i++)
        p = &i;
#elif defined BREAK
    for (;;) { int x = 3; p = &x; if (x) break; }
#elif defined GOTO
    { int x[2] = { 1, 2 }; p = &x[1]; goto out; }
out:
#elif defined SWITCH
    switch (argc) { int x; case 1: x = 4; p = &x; }
#elif defined LITERAL
    { p = (int[]){ 1, 2 }; }
#elif defined SUBSTATEMENT
    if (argc)
        p = &(int){ 7 };
#elif defined VALUE
    p = ({ int x = 3; &x; });
#elif defined TEMPORARY
    p = get(4).v;
#elif defined VLA
    { int x[argc + 1]; x[0] = 1; p = x; }
#elif defined FINE
    int n = 0;
    { int x = 1; n += *(p = &x); }
    { int x = 1; int *r = (int[]){ x, 2 }; n += r[1]; p = alloca(sizeof *p); *p = 3; }
    for (int i = 0; i < 3; i++) { int x = i; q = &x; n += *q; }
    for (int i = 0, *r = &i; i < 3; i++) n += *r;
    if (n) { int *r = &(int){ 5 }; n += *r; }
    n += get(1).v[1] + ({ int x = n; int *r = &x; *r + 1; });
    switch (argc) { int x; case 1: x = 4; q = &x; n += *q; }
again:
    { int x = n; q = &x; if (*q < 60) { n += 10; goto again; } n += *q; }
    goto in;
    { int x; in: x = 2; q = &x; n += *q; }
    printf("%d\n", n);
#endif
    return *p;
}
