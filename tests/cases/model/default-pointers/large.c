int input(void);
static char buf[4096];
static int v[40], *any[40];
int main(void) {
    char *p = buf;
    while (p < buf + sizeof buf && *p) p++;
#ifdef MANY
    int *q = v;
    for (int i = 0; i < 40; i++) any[i] = &v[i];
    if (input()) q = any[input() & 31];
    return q != v;
#endif
}
