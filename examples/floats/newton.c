/* Newton's square root: from a good start, two steps are within a unit in the last place. */
#include <assert.h>
#include <math.h>

extern float __VERIFIER_nondet_float(void);

int main(void)
{
    float x = __VERIFIER_nondet_float();
    if (!(x >= 1.0f && x <= 1.001f))
        return 0;
    float y = 1.0f;
    for (int i = 0; i < 2; i++)
        y = 0.5f * (y + x / y);
    float exact = sqrtf(x);
    assert(fabsf(y - exact) <= 1.1920929e-7f);
    return 0;
}
