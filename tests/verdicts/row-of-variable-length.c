// The end of a row is not the end of the array, and its length is known at run time only.
// EXPECT: false(bounds)
// TWIN: true
extern unsigned __VERIFIER_nondet_uint(void);

static void clear(unsigned n, int table[][n], unsigned row, unsigned last) {
    for (unsigned i = 0; i < last; i++)
        table[row][i] = 0;
}

int main(void) {
    int table[2][3];
    unsigned n = __VERIFIER_nondet_uint();
    if (n * n * n + 7u * n == 939929280u)
#ifdef TWIN
        clear(3, table, 0, 3);
#else
        clear(3, table, 0, 4);
#endif
    return 0;
}
