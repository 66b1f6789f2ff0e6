/* Products and quotients of complex numbers, as compilers for x86 compute them: C's Annex G says what
   becomes of infinities, and the quotient is scaled (Smith's method, made robust by Baudin and Smith).
   `real` is the type of the parts, `$` the letter for it. No preprocessor needed. */

static _Bool nan$(real x)
{
    return x != x;
}

static _Bool infinite$(real x)
{
    return x - x != x - x && x == x;
}

static _Bool finite$(real x)
{
    return x - x == x - x;
}

static real size$(real x)
{
    return __builtin_signbit(x) ? -x : x;
}

static real with_sign$(real x, real sign)
{
    return __builtin_signbit(sign) ? -x : x;
}

/* A part of an infinite number: one in its direction, or zero. */
static real boxed$(real x)
{
    return with_sign$(infinite$(x) ? 1 : 0, x);
}

static real not_nan$(real x)
{
    return nan$(x) ? with_sign$(0, x) : x;
}

_Complex real __mul$c3(real a, real b, real c, real d)
{
    real ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    _Complex real z;
    __real__ z = ac - bd;
    __imag__ z = ad + bc;
    if (!(nan$(__real__ z) && nan$(__imag__ z)))
        return z;
    _Bool again = 0;
    if (infinite$(a) || infinite$(b)) {
        a = boxed$(a);
        b = boxed$(b);
        c = not_nan$(c);
        d = not_nan$(d);
        again = 1;
    }
    if (infinite$(c) || infinite$(d)) {
        c = boxed$(c);
        d = boxed$(d);
        a = not_nan$(a);
        b = not_nan$(b);
        again = 1;
    }
    if (!again && (infinite$(ac) || infinite$(bd) || infinite$(ad) || infinite$(bc))) {
        a = not_nan$(a);
        b = not_nan$(b);
        c = not_nan$(c);
        d = not_nan$(d);
        again = 1;
    }
    if (again) {
        real infinity = (real)__builtin_inf();
        __real__ z = infinity * (a * c - b * d);
        __imag__ z = infinity * (a * d + b * c);
    }
    return z;
}

/* What is there to a quotient when neither part of it is a number. */
static _Complex real special_quotient$(_Complex real z, real a, real b, real c, real d)
{
    real infinity = (real)__builtin_inf();
    if (c == 0 && d == 0 && (!nan$(a) || !nan$(b))) {
        __real__ z = with_sign$(infinity, c) * a;
        __imag__ z = with_sign$(infinity, c) * b;
    } else if ((infinite$(a) || infinite$(b)) && finite$(c) && finite$(d)) {
        a = boxed$(a);
        b = boxed$(b);
        __real__ z = infinity * (a * c + b * d);
        __imag__ z = infinity * (b * c - a * d);
    } else if ((infinite$(c) || infinite$(d)) && finite$(a) && finite$(b)) {
        c = boxed$(c);
        d = boxed$(d);
        __real__ z = 0 * (a * c + b * d);
        __imag__ z = 0 * (b * c - a * d);
    }
    return z;
}

/* (a + ib) / (c + id) where |c| >= |d|; what is smaller than `least` has lost bits. */
static _Complex real quotient$(real a, real b, real c, real d, real least)
{
    real ratio = d / c;
    real divisor = d * ratio + c;
    _Complex real z;
    if (size$(ratio) > least) {
        __real__ z = (b * ratio + a) / divisor;
        __imag__ z = (b - a * ratio) / divisor;
    } else {
        __real__ z = (d * (b / c) + a) / divisor;
        __imag__ z = (b - d * (a / c)) / divisor;
    }
    return z;
}

_Complex real __div$c3(real a, real b, real c, real d)
{
    real half = _Generic((real)0, float: 0x1.fffffep+126f, double: 0x1.fffffffffffffp+1022,
                         long double: 0x1.fffffffffffffffep+16382L,
                         default: 0x1.ffffffffffffffffffffffffffffp+16382q);
    real least = _Generic((real)0, float: 0x1p-126f, double: 0x1p-1022, long double: 0x1p-16382L,
                          default: 0x1p-16382q);
    real ulp = _Generic((real)0, float: 0x1p-23f, double: 0x1p-52, long double: 0x1p-63L,
                        default: 0x1p-112q);
    _Complex real z;
    if (sizeof(real) == sizeof(float)) {
        /* Everything fits into a double. */
        double u = a, v = b, x = c, y = d;
        double divisor = x * x + y * y;
        __real__ z = (u * x + v * y) / divisor;
        __imag__ z = (v * x - u * y) / divisor;
    } else {
        _Bool swapped = size$(c) < size$(d);
        if (size$(swapped ? d : c) >= half) {
            a = a / 2;
            b = b / 2;
            c = c / 2;
            d = d / 2;
        }
        real large = size$(swapped ? d : c), most = half * ulp;
        if (large < ulp
            || (size$(a) < least && size$(b) < most && large < most)
            || (size$(b) < least && size$(a) < most && large < most)) {
            a = a / ulp;
            b = b / ulp;
            c = c / ulp;
            d = d / ulp;
        }
        /* (a + ib) / (c + id) = (b - ia) / (d - ic) */
        z = swapped ? quotient$(b, -a, d, -c, least) : quotient$(a, b, c, d, least);
    }
    if (nan$(__real__ z) && nan$(__imag__ z))
        return special_quotient$(z, a, b, c, d);
    return z;
}
