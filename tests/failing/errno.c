// verify:
#include <assert.h>
#include <errno.h>
#include <stdio.h>
// The harness sets errno as the failing call did.
int main(void) {
    FILE *f = fopen("settings", "r");
    assert(f || errno != EMFILE);
    return 0;
}
