#include <assert.h>
/* Each macro reads a place twice; the world outside may have changed it in between. */
struct plain { int a; int reg[2]; union { char c; int i; } u; };
int word;
struct { int a; volatile int reg; } member;
volatile struct plain whole, list[2];
volatile int numbers[4];

static int twice(volatile int *p)
{
    int x = *p;
    return x == *p;
}

int main(void)
{
#ifdef CAST
    int x = *(volatile int *)&word, y = *(volatile int *)&word;
    assert(x == y);
#elif defined MEMBER
    int x = member.reg, y = member.reg;
    assert(x == y);
#elif defined ELEMENT
    int x = numbers[2], y = numbers[2];
    assert(x == y);
#elif defined POINTER
    assert(twice(&word));
#elif defined COPY
    struct plain x = whole, y = whole;
    assert(x.reg[1] == y.reg[1]);
#elif defined UNION
    struct plain x = list[1], y = list[1];
    assert(x.u.i == y.u.i);
#elif defined CONDITION
    assert(!numbers[0] || numbers[0]);
#elif defined COMPOUND
    numbers[0] = 0;
    numbers[0] += 1;
    assert(numbers[0] == 1);
#elif defined STEP
    numbers[0] = 5;
    int x = numbers[0]++;
    assert(x == 5);
#elif defined SWITCH
    switch (member.reg) {
    case 3:
        assert(member.reg == 3);
    }
#elif defined ARGUMENT
    int same(int, int);
    assert(same(whole.reg[0], whole.reg[0]));
#elif defined ONCE
    int x = numbers[1];
    struct plain y = whole;
    assert(x == x && y.a == y.a);
    assert((word = 3) == 3 && member.a == 0);
#endif
    return 0;
}

int same(int a, int b) { return a == b; }
