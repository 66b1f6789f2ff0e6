// A function of another type is not the library's, whatever its name.
// EXPECT: true
// TWIN: false(bounds)
extern void read(int);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    int squares[4];
    for (int i = 0; i < 4; i++)
        squares[i] = i * i;
    unsigned n = __VERIFIER_nondet_uint();
#ifdef TWIN
    if (n * n * n + 7u * n == 939929280u)
        read(squares[4]);
#endif
    read(squares[3]);
    return 0;
}
