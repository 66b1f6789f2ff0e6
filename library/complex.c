/* The parts of <complex.h> that are plain arithmetic, for one of the types `float`, `double` and
   `long double`: `real` is the type and `$` the end of the names. No preprocessor needed. */

real __cwolf_copysign$(real x, real y);
real hypot$(real x, real y);
real atan2$(real y, real x);

real creal$(_Complex real z)
{
    return __real__ z;
}

real cimag$(_Complex real z)
{
    return __imag__ z;
}

_Complex real conj$(_Complex real z)
{
    return ~z;
}

/* All infinities are one point. */
_Complex real cproj$(_Complex real z)
{
    if (__builtin_isinf(__real__ z) || __builtin_isinf(__imag__ z)) {
        __real__ z = (real)__builtin_inf();
        __imag__ z = __cwolf_copysign$(0, __imag__ z);
    }
    return z;
}

real cabs$(_Complex real z)
{
    return hypot$(__real__ z, __imag__ z);
}

real carg$(_Complex real z)
{
    return atan2$(__imag__ z, __real__ z);
}
