// EXPECT: true
// TWIN: false(assertion)
// What alignas and packed say of a member is its alignment.
#include <assert.h>
struct s { char a; _Alignas(8) char b; int c; } s;
struct __attribute__((packed)) p { char a; int b; } p;
int main(void) {
#ifndef TWIN
    assert(__alignof__(s.b) == 8 && __alignof__(s.a) == 1 && __alignof__(p.b) == 1);
#else
    assert(__alignof__(s.b) == 1);
#endif
    return 0;
}
