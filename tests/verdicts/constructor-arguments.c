// EXPECT: true
// TWIN: false(assertion)
// glibc gives constructors the arguments of main.
#include <assert.h>
static int count;
static char **list;
__attribute__((constructor)) static void first(int argc, char **argv) {
    count = argc;
    list = argv;
}
int main(int argc, char **argv) {
#ifndef TWIN
    assert(count == argc && list == argv);
#else
    assert(count != argc);
#endif
    return 0;
}
