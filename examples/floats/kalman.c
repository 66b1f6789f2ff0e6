/* One step of a Kalman filter in one dimension: with a variance that is not negative and noise that
   is not zero, nothing becomes infinite or a NaN, and the variance does not grow past the prediction. */
#include <assert.h>

extern float __VERIFIER_nondet_float(void);

int main(void)
{
    float x = __VERIFIER_nondet_float(), p = __VERIFIER_nondet_float(), z = __VERIFIER_nondet_float();
    if (!(x >= -1e6f && x <= 1e6f && z >= -1e6f && z <= 1e6f && p >= 0.0f && p <= 1e6f))
        return 0;
    const float q = 0.01f, r = 0.25f;
    p = p + q;
    float k = p / (p + r);
    assert(k >= 0.0f && k <= 1.0f);
    x = x + k * (z - x);
    assert(x == x && x <= 1e7f && x >= -1e7f);
    return 0;
}
