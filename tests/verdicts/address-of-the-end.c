// Where one array ends, another may start; its last element is not there.
// EXPECT: unknown
// TWIN: true
extern void reach_error(void);

int main(void) {
    int first[4], second[4];
    int *p = first, *q = second;
#ifdef TWIN
    p += 3;
#else
    p += 4;
    q += 0;
#endif
    if (p == q)
        reach_error();
    return 0;
}
