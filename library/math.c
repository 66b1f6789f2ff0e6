/* The parts of <math.h> whose results IEEE 754 fixes, for one of the types `float`, `double` and
   `long double`: `real` is the type and `$` the end of the names. No preprocessor needed. The
   builtins `__cwolf_…` belong to the engines. */

int *__errno_location(void);

enum { EDOM = 33, ERANGE = 34 };

real __cwolf_sqrt$(real x);
real __cwolf_fma$(real x, real y, real z);
real __cwolf_fmod$(real x, real y);
real __cwolf_remainder$(real x, real y);
real __cwolf_floor$(real x);
real __cwolf_ceil$(real x);
real __cwolf_trunc$(real x);
real __cwolf_round$(real x);
real __cwolf_roundeven$(real x);
real __cwolf_rint$(real x);
real __cwolf_copysign$(real x, real y);

real fabs$(real x)
{
    return __cwolf_copysign$(x, 0);
}

real copysign$(real x, real y)
{
    return __cwolf_copysign$(x, y);
}

real floor$(real x)
{
    return __cwolf_floor$(x);
}

real ceil$(real x)
{
    return __cwolf_ceil$(x);
}

real trunc$(real x)
{
    return __cwolf_trunc$(x);
}

real round$(real x)
{
    return __cwolf_round$(x);
}

real roundeven$(real x)
{
    return __cwolf_roundeven$(x);
}

real rint$(real x)
{
    return __cwolf_rint$(x);
}

real nearbyint$(real x)
{
    return __cwolf_rint$(x);
}

real fma$(real x, real y, real z)
{
    return __cwolf_fma$(x, y, z);
}

real sqrt$(real x)
{
    if (x < 0)
        *__errno_location() = EDOM;
    return __cwolf_sqrt$(x);
}

/* A remainder by zero, or of infinity, is an error; one of or by a NaN is none. */
static void check_domain(real x, real y)
{
    if (x == x && y == y && (y == 0 || x - x != 0))
        *__errno_location() = EDOM;
}

real fmod$(real x, real y)
{
    check_domain(x, y);
    return __cwolf_fmod$(x, y);
}

real remainder$(real x, real y)
{
    check_domain(x, y);
    return __cwolf_remainder$(x, y);
}

real drem$(real x, real y)
{
    return remainder$(x, y);
}

real fmax$(real x, real y)
{
    if (x != x)
        return y;
    return x < y ? y : x;
}

real fmin$(real x, real y)
{
    if (x != x)
        return y;
    return x > y ? y : x;
}

real modf$(real x, real *whole)
{
    real w = __cwolf_trunc$(x);
    *whole = w;
    real rest = x - w;
    /* An infinity has no fraction, and none has the number's sign. */
    if (x == x && x - x != 0)
        rest = 0;
    return __cwolf_copysign$(rest, x);
}
