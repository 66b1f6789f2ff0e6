// EXPECT: true
// TWIN: false(float-cast)
// FLAGS: --property float-cast
// What is less than one below the least int still becomes an int.
double __VERIFIER_nondet_double(void);
int main(void) {
    double x = __VERIFIER_nondet_double();
#ifndef TWIN
    if (x > -2147483649.0 && x < 2147483648.0)
#else
    if (x > -2147483649.0 && x <= 2147483648.0)
#endif
        return (int)x == 7;
    return 0;
}
