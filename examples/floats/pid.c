/* A PID controller with clamped output: whatever the measurements are, what goes to the actuator
   stays in its range, and nothing becomes a NaN. */
#include <assert.h>

extern float __VERIFIER_nondet_float(void);

struct pid {
    float kp, ki, kd;
    float integral, last;
};

static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

static float step(struct pid *c, float set, float measured)
{
    float error = set - measured;
    c->integral = clamp(c->integral + c->ki * error, -50.0f, 50.0f);
    float change = error - c->last;
    c->last = error;
    return clamp(c->kp * error + c->integral + c->kd * change, -100.0f, 100.0f);
}

int main(void)
{
    struct pid c = {2.0f, 0.5f, 0.25f, 0.0f, 0.0f};
    for (;;) {
        float measured = __VERIFIER_nondet_float();
        if (!(measured >= -1000.0f && measured <= 1000.0f))
            continue; /* a broken sensor */
        float out = step(&c, 20.0f, measured);
        assert(out >= -100.0f && out <= 100.0f);
    }
}
