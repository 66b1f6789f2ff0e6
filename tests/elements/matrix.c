// EXPECT: true
// TWIN: false(assertion)
// Every cell of a matrix; in the twin the inner index runs over into the next row.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define N 300
static int m[N][N];
int main(void)
{
    int i, j, x = __VERIFIER_nondet_int();
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            m[i][j] = x;
#ifdef TWIN
    m[7][N - 1] = x + 1;
#endif
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++)
            assert(m[i][j] == x);
    return 0;
}
