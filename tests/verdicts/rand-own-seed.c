// EXPECT: true or unknown
// TWIN: false(unreach-call)
// After a seed of the program's own, numbers are those of the library.
#include <stdlib.h>
#include <time.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    srand(42);
#else
    srand(time(0));
#endif
    if (rand() % 7 == 3 && rand() % 7 == 3 && rand() % 7 == 3)
        reach_error();
    return 0;
}
