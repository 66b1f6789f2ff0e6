#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>
#include "random.h"
static int sign(int x) { return (x > 0) - (x < 0); }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void show(const void *node, VISIT which, int depth) {
    printf("%d:%d:%d ", **(int **)node, which, depth);
}
static void gone(void *p) { printf("-%d ", *(int *)p); }
static wchar_t *wide(wchar_t *to, int most) {
    int n = below(most + 1);
    for (int i = 0; i < n; i++) to[i] = L"abAB0 1,"[below(8)];
    to[n] = 0;
    return to;
}
int main(int argc, char **argv) {
    seed_from(argc, argv);
    wchar_t a[40], b[40], c[100], *p, *q;
    char s[60];
    for (int i = 0; i < 200; i++) {
        wide(a, 9);
        wide(b, 5);
        size_t n = below(7);
        wchar_t ch = L"abAB0 1,z"[below(9)];
        c[0] = 0;
        printf("[%ls] [%ls] %zu:", a, b, n);
#define AT(e, s) ((e) ? (int)((e) - (s)) : -1)
        switch (below(16)) {
        case 0: printf("%zu %zu", wcslen(a), wcsnlen(a, n)); break;
        case 1: printf("%d %d", sign(wcscmp(a, b)), sign(wcsncmp(a, b, n))); break;
        case 2: printf("%d %d", AT(wcschr(a, ch), a), AT(wcsrchr(a, ch), a)); break;
        case 3: printf("%d", AT(wcsstr(a, b), a)); break;
        case 4: printf("%zu %zu %d", wcsspn(a, b), wcscspn(a, b), AT(wcspbrk(a, b), a)); break;
        case 5: wcscpy(c, a); wcscat(c, b); wcsncat(c, a, n); printf("%ls", c); break;
        case 6: for (p = wcstok(a, L", ", &q); p; p = wcstok(0, L", ", &q)) printf("<%ls>", p); break;
        case 7: printf("%ld ", wcstol(a, &p, 0)); printf("%d", AT(p, a)); break;
        case 8: printf("%d", AT(wmemchr(a, ch, wcslen(a)), a)); break;
        case 9: p = wcsdup(a); printf("%ls", p); free(p); break;
        case 10: printf("%d ", (int)wcstombs(s, a, n)); printf("%.*s", (int)(n < wcslen(a) ? n : wcslen(a)), s); break;
        case 11: wcstombs(s, a, sizeof s); printf("%d ", (int)mbstowcs(c, s, 100)); printf("%ls", c); break;
        case 12: printf("%d %d", wcswidth(a, n), wcwidth(ch)); break;
        case 13: for (int k = 0; k < 6; k++) { int x = below(140); printf("%d%d%d%d%d", !!iswalpha(x), !!iswprint(x), !!iswspace(x), !!iswpunct(x), (int)towupper(x)); } break;
        case 14: { mbstate_t m; memset(&m, 0, sizeof m); s[0] = below(256); wchar_t w = 99; int r = (int)mbrtowc(&w, s, below(3), &m); printf("%d %d %d", r, r > 0 ? (int)w : 0, mbsinit(&m)); break; }
        case 15: errno = 0; printf("%d ", (int)wctomb(s, below(200))); printf("%d ", errno); printf("%d", btowc(below(256))); break;
        }
        printf("\n");
    }
    int keys[60];
    void *root = 0;
    int count = 1 + below(60);
    for (int i = 0; i < count; i++) {
        keys[i] = below(100);
        int **found = tsearch(&keys[i], &root, compare);
        printf("%d", *found == &keys[i]);
    }
    printf("\n");
    twalk(root, show);
    printf("\n");
    int key = 50;
    printf("%d\n", tfind(&key, &root, compare) != 0);
    tdestroy(root, gone);
    printf("\n%d ", hcreate(10));
    static char *names[] = {"one", "two", "three", "four", "five", "one"};
    for (int i = 0; i < 6; i++) {
        ENTRY e = {names[i], (void *)(size_t)i}, *r = hsearch(e, ENTER);
        printf("%d ", r ? (int)(size_t)r->data : -1);
    }
    ENTRY missing = {"six", 0};
    errno = 0;
    printf("%d ", hsearch(missing, FIND) == 0);
    printf("%d\n", errno);
    hdestroy();
    struct element { struct element *next, *prev; int v; } x = {0, 0, 1}, y = {0, 0, 2}, z = {0, 0, 3};
    insque(&x, 0);
    insque(&y, &x);
    insque(&z, &x);
    for (struct element *e = &x; e; e = e->next) printf("%d ", e->v);
    remque(&z);
    for (struct element *e = &x; e; e = e->next) printf("%d ", e->v);
    printf("\n%d %d\n", (int)wctype("alpha") != 0, !!iswctype(L'x', wctype("lower")));
    return 0;
}
