// EXPECT: true
// TWIN: false(float-overflow)
// FLAGS: --property float-overflow
float __VERIFIER_nondet_float(void);
int main(void) {
    float x = __VERIFIER_nondet_float();
#ifndef TWIN
    if (x > -1e19f && x < 1e19f)
#else
    if (x > -1e19f && x < 2e19f)
#endif
        return x * x > 4.0f;
    return 0;
}
