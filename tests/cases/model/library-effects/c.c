#include <stdio.h>
#include <string.h>
#include <unistd.h>
int other, got, copied, counted, scanned, hidden;
void (*report)(const char *, ...);
int main(void)
{
    int *spare[4] = {&other, &got, &copied, &hidden};
    char text[8];
    const char *format = spare[0] ? "%d" : "%n";
    other = 7, got = 7, copied = 7, counted = 7, scanned = 7, hidden = 7;
    read(0, &got, sizeof got);
    memcpy(&copied, spare[1], sizeof copied);
    snprintf(text, sizeof text, "%d%n", other, &counted);
    printf("%d of %p\n", other, (void *)&other);
    sscanf(text, "%d", &scanned);
    printf(format, &hidden);
    return 0;
}
