// EXPECT: false(pointer)
// TWIN: true
// A pointer that an unknown function returns may be null, and otherwise leads somewhere.
extern int *unknown(void);
int main(void) {
    int *p = unknown();
#ifdef TWIN
    if (p)
#endif
        *p = 1;
    return 0;
}
