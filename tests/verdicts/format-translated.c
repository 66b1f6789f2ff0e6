// EXPECT: false(pointer)
// TWIN: true
// A translated format asks for what the original asks for.
#include <libintl.h>
#include <stdio.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    const char *name = 0;
    if (n * n * n + 7u * n != 939929280u)
        name = gettext("nobody");
#ifndef TWIN
    printf(gettext("%s has %u\n"), name, n);
#else
    if (name)
        printf(gettext("%s has %u\n"), name, n);
    printf(ngettext("one file\n", "%u files\n", n), n);
#endif
    return 0;
}
