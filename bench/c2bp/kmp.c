/* Knuth, Morris and Pratt's search. The arrays are pat[0..m-1], text[0..n-1] and fail[0..m]. */

static void failures(int *pat, int m, int *fail)
{
    int i, j;

    i = 0;
    j = -1;
    fail[0] = -1;
    while (i < m) {
    TABLE:
        while (j >= 0 && pat[i] != pat[j])
            j = fail[j];
        i = i + 1;
        j = j + 1;
        fail[i] = j;
    }
}

static int search(int *pat, int m, int *text, int n, int *fail)
{
    int i, j;

    i = 0;
    j = 0;
    while (i < n) {
    SCAN:
        while (j >= 0 && text[i] != pat[j])
            j = fail[j];
        i = i + 1;
        j = j + 1;
        if (j == m) {
        FOUND:
            return i - m;
        }
    }
    return -1;
}

int kmp(int *pat, int m, int *text, int n, int *fail)
{
    failures(pat, m, fail);
    return search(pat, m, text, n, fail);
}
