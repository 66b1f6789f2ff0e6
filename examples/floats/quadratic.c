/* Roots of a*x*x + b*x + c: where the discriminant is not negative, the root is a number. */
#include <assert.h>
#include <math.h>

extern float __VERIFIER_nondet_float(void);

int main(void)
{
    float a = __VERIFIER_nondet_float(), b = __VERIFIER_nondet_float(), c = __VERIFIER_nondet_float();
    if (!(fabsf(a) <= 1e6f && fabsf(b) <= 1e6f && fabsf(c) <= 1e6f) || a == 0.0f)
        return 0;
    float d = b * b - 4.0f * a * c;
#ifndef BUG
    if (d < 0.0f)
        return 0;
#endif
    float root = sqrtf(d);
    assert(root >= 0.0f);
    return 0;
}
