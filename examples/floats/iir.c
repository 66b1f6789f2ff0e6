/* A low-pass filter that runs for ever: its output stays between the bounds of its input. */
#include <assert.h>

extern float __VERIFIER_nondet_float(void);

int main(void)
{
    float y = 0.0f;
    for (;;) {
        float x = __VERIFIER_nondet_float();
        if (!(x >= -1.0f && x <= 1.0f))
            continue;
        y = 0.875f * y + 0.125f * x;
        assert(y >= -1.0f && y <= 1.0f);
    }
}
