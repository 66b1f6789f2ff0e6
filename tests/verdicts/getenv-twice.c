// EXPECT: true or unknown
// TWIN: false(pointer)
// The environment stays as it is: who has looked may take it.
#include <stdlib.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    if (getenv("EDITOR"))
        return getenv("EDITOR")[0] == 'v';
    return 0;
#else
    return getenv("EDITOR")[0] == 'v' && getenv("EDITOR")[1] == 'i';
#endif
}
