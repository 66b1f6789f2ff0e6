/* The same with the assignment of a struct. */
struct slot { int full, kind; };
static struct slot ring[4] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}};
int any(void);
void odd(void);
void even(void);
int main(void) {
    int at = 0;
    for (;;) {
        struct slot now = ring[at];
        if (now.kind & 1)
            odd();
        else
            even();
        at = (at + 1) % 4;
    }
}
