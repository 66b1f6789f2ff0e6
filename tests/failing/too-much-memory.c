// verify:
#include <stdlib.h>
// No library gives so much memory.
extern int count(void);
int main(void) {
    int n = count();
    if (n != -2)
        return 0;
    int *all = malloc(n);
    return all[0];
}
