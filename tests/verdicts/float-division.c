// EXPECT: true
// TWIN: false(float-division)
// FLAGS: --property float-division
// Two numbers that are not equal have a difference that is not zero, thanks to subnormal ones.
float __VERIFIER_nondet_float(void);
int main(void) {
    float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
#ifndef TWIN
    if (x != y)
        return 1.0f / (x - y) > 1.0f;
#else
    if (x != y)
        return 1.0f / ((x - y) * 0.5f) > 1.0f;
#endif
    return 0;
}
