// EXPECT: true
// TWIN: false(nan)
// FLAGS: --property nan
// The difference of two infinities is no number.
float __VERIFIER_nondet_float(void);
int main(void) {
    float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
#ifndef TWIN
    if (x < 1e38f && y > -1e38f)
        return x - y > 1.0f;
#else
    if (x > -1e38f && y > -1e38f)
        return x - y > 1.0f;
#endif
    return 0;
}
