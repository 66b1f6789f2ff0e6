#include <stdlib.h>
#include <string.h>
int main(void) {
    char *p = malloc(4);
#ifdef SAFE
    if (!p) return 1;
#endif
    p[0] = 1;
    char *q = strdup("abc");
    if (q) q[0] = 'x';
    free(q);
    free(p);
    return 0;
}
