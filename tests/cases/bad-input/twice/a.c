#include <assert.h>
int average(int *a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += a[i];
    return sum / n;
}
int main(void) { int a[3] = {1, 2, 3}; assert(average(a, 3) == 2); }
