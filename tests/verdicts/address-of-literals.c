// A literal may be the end of another one.
// EXPECT: unknown
// TWIN: true
extern void reach_error(void);

int main(void) {
    const char *p = "end", *q = "the end";
#ifdef TWIN
    if (p == q)
#else
    if (p == q + 4)
#endif
        reach_error();
    return 0;
}
