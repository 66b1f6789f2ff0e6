// EXPECT: true
// TWIN: false(assertion)
// Two fields of every element of an array of structures keep their relation.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define N 30000
struct pair { int low; unsigned short tag; int high; };
static struct pair a[N];
int main(void)
{
    int i;
    for (i = 0; i < N; i++) {
        int x = __VERIFIER_nondet_int();
        a[i].low = x;
        a[i].high = x;
    }
    for (i = 0; i < N; i++)
        if (a[i].low < 100) {
            a[i].high = 100;
#ifdef TWIN
            a[i].low = 101;
#endif
        }
    for (i = 0; i < N; i++)
        assert(a[i].low <= a[i].high);
    return 0;
}
