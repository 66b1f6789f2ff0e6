// EXPECT: false(bounds)
// TWIN: true
// A pointer to void that a function returns which nobody knows leads to at least one byte, or is null.
void *take(void);
int main(void) {
    char *p = take();
#ifndef TWIN
    if (p)
        p[1 << 20] = 1;
#else
    if (p && p != (char *)-1)
        *p = 1;
#endif
    return 0;
}
