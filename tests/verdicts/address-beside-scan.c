// A program that scans numbers may read the bytes of addresses, too.
// EXPECT: unknown
// TWIN: true
#include <stdio.h>
#include <string.h>
extern void reach_error(void);

int main(void) {
    int x = 0, *p = &x;
    unsigned long number = 0;
    if (sscanf("12", "%d", &x) != 1)
        return 1;
#ifdef TWIN
    if (x != 12 || p != &x)
#else
    memcpy(&number, &p, sizeof p);
    if (number == 0x7fff12345678)
#endif
        reach_error();
    return (int)number;
}
