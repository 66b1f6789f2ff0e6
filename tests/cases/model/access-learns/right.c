/* The right side of && is evaluated only if the left one holds: p may be null, and x is known to be 5. */
int input(void);
void null(void);
static int x = 5;
int main(void) {
    int *p = 0;
    if (input())
        p = &x;
    int both = p && *p == 5;
    if (!p)
        null();
    return both;
}
