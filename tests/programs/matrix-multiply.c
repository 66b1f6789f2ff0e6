// EXPECT: true
// TWIN: false(bounds)
// Matrices of any size up to 1000, in allocated memory, row by row. The twin mixes up rows and columns.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static unsigned *make(int rows, int columns)
{
    unsigned *m = malloc((size_t)rows * columns * sizeof *m);
    if (!m)
        exit(1);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            m[i * columns + j] = __VERIFIER_nondet_int();
    return m;
}
/* c[n][p] = a[n][m] * b[m][p] */
static void multiply(const unsigned *a, const unsigned *b, unsigned *c, int n, int m, int p)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < p; j++) {
            unsigned sum = 0;
            for (int k = 0; k < m; k++)
                sum += a[i * m + k] * b[k * p + j];
#ifdef TWIN
            c[i * n + j] = sum;
#else
            c[i * p + j] = sum;
#endif
        }
}
int main(void)
{
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), p = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000 || m < 1 || m > 1000 || p < 1 || p > 1000)
        return 0;
    unsigned *a = make(n, m), *b = make(m, p), *c = make(n, p);
    multiply(a, b, c, n, m, p);
    free(a);
    free(b);
    free(c);
    return 0;
}
