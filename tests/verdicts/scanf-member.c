// EXPECT: true
// TWIN: false(assertion)
// scanf writes the member that it is given, not its neighbours.
#include <assert.h>
#include <stdio.h>
#include "h.h"
struct pair { int a, b; };
int main(void) {
    struct pair p = {1, 2};
    scanf("%d", &p.a);
#ifndef TWIN
    assert(p.b == 2);
#else
    assert(p.a == 1);
#endif
    return 0;
}
