// EXPECT: false
// TWIN: true
// scanf writes one element, not its neighbours.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    int a[4]={1, 2, 3, 4};
    scanf("%d", &a[1]);
    assert(a[1] == 2);
#else
    int a[4]={1, 2, 3, 4};
    scanf("%d", &a[1]);
    assert(a[2] == 3 && a[0] == 1);
#endif
    return 0;
}
