/* A queue of bytes in a ring buffer. Input: '-' takes a byte out, anything else goes in. */
#include <assert.h>
#include <stdio.h>

enum { SIZE = 8 };

static unsigned char ring[SIZE];
static unsigned head, tail; /* counters: the next byte to take, the next free place */

static int put(unsigned char byte)
{
    if (tail - head == SIZE)
        return 0; /* full */
    ring[tail] = byte;
    tail++;
    return 1;
}

static int take(unsigned char *byte)
{
    if (tail == head)
        return 0; /* empty */
    *byte = ring[head % SIZE];
    head++;
    return 1;
}

int main(void)
{
    int c;

    while ((c = getchar()) != EOF) {
        unsigned char byte;

        if (c == '-')
            take(&byte);
        else
            put((unsigned char)c);
        assert(tail - head <= SIZE);
    }
    return 0;
}
