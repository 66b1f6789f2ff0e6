// EXPECT: true
// TWIN: false(assertion)
// A variable that no given file defines is an object, also for who only has its address.
#include <assert.h>
extern int elsewhere;
#ifndef TWIN
#define SIZE 100000
#else
#define SIZE 20
#endif
extern const unsigned char table[SIZE];
static int *where = &elsewhere;
int main(void) {
    const unsigned char *entry = table + SIZE - 1;
    *where = *entry;
#ifndef TWIN
    assert(elsewhere >= 0);
#else
    assert(elsewhere * elsewhere + 7 * elsewhere != 8918);
#endif
    return 0;
}
