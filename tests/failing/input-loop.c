// verify:
#include <assert.h>
#include <stdio.h>
int main(void)
{
    int c, lines = 0;
    while ((c = getchar()) != EOF) {
        if (c == '\n')
            lines++;
        assert(lines < 3);
    }
    return 0;
}
