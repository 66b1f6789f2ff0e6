// EXPECT: true
// TWIN: false(assertion)
// glibc gives constructors the arguments of main.
#include <assert.h>
static int count, named;
__attribute__((constructor)) static void first(int argc, char **argv) {
    count = argc;
    named = argc > 0 && argv[0] != 0;
}
int main(int argc, char **argv) {
    (void)argv;
#ifndef TWIN
    assert(count == argc && named == (argc > 0));
#else
    assert(count != argc);
#endif
    return 0;
}
