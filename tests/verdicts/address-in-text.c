// Where objects lie is not for one run to say.
// EXPECT: unknown
// TWIN: true
#include <stdio.h>
#include <string.h>
extern void reach_error(void);

int main(void) {
    int x = 3, *p = &x;
    char text[40];
    unsigned char bytes[sizeof p];
    sprintf(text, "%p", (void *)p);
    memcpy(bytes, &p, sizeof p);
#ifdef TWIN
    int *again;
    memcpy(&again, bytes, sizeof p);
    if (*again != 3)
#else
    if (text[2] == '7' || bytes[5] == 0x7f)
#endif
        reach_error();
    return 0;
}
