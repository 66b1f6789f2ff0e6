#include "limit.h"
#ifndef WIDE
#error compiled without its flags
#endif
int limit(void) { return WIDE; }
