// EXPECT: false or unknown
// TWIN: true
// The standard streams are open when the program starts, and closed once.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    fclose(stdin);
    fclose(stdin);
#else
    fclose(stdin);
#endif
    return 0;
}
