// EXPECT: true
// TWIN: false(bounds) or false(pointer)
// Search for a pattern of any length in a text of any length (Knuth, Morris and Pratt). The twin falls back from zero.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
static char *read_text(int n)
{
    char *text = malloc(n);
    if (!text)
        exit(1);
    for (int i = 0; i < n; i++)
        text[i] = __VERIFIER_nondet_char();
    return text;
}
/* border[i]: the length of the longest proper border of the first i + 1 characters. */
static void borders(const char *pattern, int m, int *border)
{
    int k = 0;
    border[0] = 0;
    for (int i = 1; i < m; i++) {
#ifdef TWIN
        while (k >= 0 && pattern[k] != pattern[i])
#else
        while (k > 0 && pattern[k] != pattern[i])
#endif
            k = border[k - 1];
        if (pattern[k] == pattern[i])
            k++;
        border[i] = k;
    }
}
static int search(const char *text, int n, const char *pattern, int m)
{
    int k = 0, at = -1;
    int *border = malloc(m * sizeof *border);
    if (!border)
        exit(1);
    borders(pattern, m, border);
    for (int i = 0; i < n && at < 0; i++) {
        while (k > 0 && pattern[k] != text[i])
            k = border[k - 1];
        if (pattern[k] == text[i])
            k++;
        if (k == m)
            at = i - m + 1;
    }
    free(border);
    return at;
}
int main(void)
{
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    if (n < 1 || n > 100000 || m < 1 || m > n)
        return 0;
    char *text = read_text(n), *pattern = read_text(m);
    int at = search(text, n, pattern, m);
    assert(at >= -1);
    assert(at <= n - m);
    free(text);
    free(pattern);
    return 0;
}
