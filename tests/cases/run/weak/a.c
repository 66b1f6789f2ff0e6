#include <stdio.h>
__attribute__((weak)) void hook(void);
__attribute__((weak)) int setting(void) { return 1; }
extern int tuning[4] __attribute__((weak));
static int soft(int) __attribute__((weakref("hard")));
void (*table[])(void) = { hook };
int base = 5;
extern int other_name __attribute__((alias("base")));
extern int weak_name __attribute__((weak, alias("base")));
void one(void) { puts("one"); }
void two(void) __attribute__((alias("one")));
int main(void)
{
    printf("setting %d, base %d\n", setting(), base);
    if (hook)
        hook();
    else
        puts("no hook");
    if (table[0])
        table[0]();
    if (tuning)
        printf("tuning %d\n", tuning[1]);
    if (soft)
        printf("soft %d\n", soft(1));
    other_name++;
    weak_name++;
    printf("%d %d %d\n", base, other_name, &other_name == &base);
    void (*p)(void) = two;
    two();
    printf("%d\n", p == one && two == one);
    return 0;
}
