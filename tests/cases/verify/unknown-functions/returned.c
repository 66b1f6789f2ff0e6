#include <assert.h>
int *find(int *, int);
int main(void) {
    int a[3] = {0};
    int *p = find(a, 3);
    a[1] = 0;
    if (p == &a[1])
        *p = 3;
    assert(a[1] == 0);
}
