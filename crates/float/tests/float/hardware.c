/* Computes what it is asked for on the machine: a line has an operation, two formats, a rounding mode and
   three operands in hexadecimal, each as its high and its low half; the answer is one such number. */
#define _GNU_SOURCE
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 bits;

static int sizes[] = {2, 4, 8, 10, 16};

/* One format: its operations, and conversions of its numbers. */
#define FORMAT(NAME, T, SQRT, FMA, RINT, FMOD, REMAINDER)                                          \
    static T NAME##_of(bits b) {                                                                   \
        volatile T x = 0;                                                                          \
        memcpy((void *)&x, &b, sizeof x);                                                          \
        return x;                                                                                  \
    }                                                                                              \
    static bits NAME##_bits(T x, int size) {                                                       \
        bits b = 0;                                                                                \
        memcpy(&b, &x, size);                                                                      \
        return b;                                                                                  \
    }                                                                                              \
    static bits NAME(char op, int to, bits a, bits b, bits c) {                                    \
        volatile T x = NAME##_of(a), y = NAME##_of(b), z = NAME##_of(c), r = 0;                    \
        int own = sizes[FORMAT_##NAME];                                                            \
        switch (op) {                                                                              \
        case '+': r = x + y; break;                                                                \
        case '-': r = x - y; break;                                                                \
        case '*': r = x * y; break;                                                                \
        case '/': r = x / y; break;                                                                \
        case 's': r = SQRT(x); break;                                                              \
        case 'f': r = FMA(x, y, z); break;                                                         \
        case 'n': r = RINT(x); break;                                                              \
        case '%': r = FMOD(x, y); break;                                                           \
        case 'r': r = REMAINDER(x, y); break;                                                      \
        case 'i': r = (T)(__int128)a; break;                                                       \
        case 'u': r = (T)a; break;                                                                 \
        case 'l': r = (T)(long)a; break;                                                           \
        case 'm': r = (T)(unsigned long)a; break;                                                  \
        case 'I': return (bits)(__int128)x;                                                        \
        case 'U': return (bits)x;                                                                  \
        case 'L': return (bits)(__int128)(long)x;                                                  \
        case 'c':                                                                                  \
            switch (to) {                                                                          \
            case 0: { volatile _Float16 t = x; return f16_bits(t, 2); }                            \
            case 1: { volatile float t = x; return f32_bits(t, 4); }                               \
            case 2: { volatile double t = x; return f64_bits(t, 8); }                              \
            case 3: { volatile long double t = x; return f80_bits(t, 10); }                        \
            default: { volatile _Float128 t = x; return f128_bits(t, 16); }                        \
            }                                                                                      \
        }                                                                                          \
        return NAME##_bits(r, own);                                                                \
    }
enum { FORMAT_f16, FORMAT_f32, FORMAT_f64, FORMAT_f80, FORMAT_f128 };
static bits f16_bits(_Float16, int), f32_bits(float, int), f64_bits(double, int);
static bits f80_bits(long double, int), f128_bits(_Float128, int);
static float sqrt16(float x) { return sqrtf(x); }
FORMAT(f16, _Float16, sqrt16, fmaf, rintf, fmodf, remainderf)
FORMAT(f32, float, sqrtf, fmaf, rintf, fmodf, remainderf)
FORMAT(f64, double, sqrt, fma, rint, fmod, remainder)
FORMAT(f80, long double, sqrtl, fmal, rintl, fmodl, remainderl)
FORMAT(f128, _Float128, sqrtf128, fmaf128, rintf128, fmodf128, remainderf128)

int main(void) {
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    char op;
    int format, to, mode;
    unsigned long h[6];
    while (scanf(" %c %d %d %d %lx %lx %lx %lx %lx %lx", &op, &format, &to, &mode, h, h + 1, h + 2,
                 h + 3, h + 4, h + 5) == 10) {
        bits a = (bits)h[0] << 64 | h[1], b = (bits)h[2] << 64 | h[3], c = (bits)h[4] << 64 | h[5], r;
        fesetround(modes[mode]);
        switch (format) {
        case 0: r = f16(op, to, a, b, c); break;
        case 1: r = f32(op, to, a, b, c); break;
        case 2: r = f64(op, to, a, b, c); break;
        case 3: r = f80(op, to, a, b, c); break;
        default: r = f128(op, to, a, b, c); break;
        }
        fesetround(FE_TONEAREST);
        printf("%lx %lx\n", (unsigned long)(r >> 64), (unsigned long)r);
    }
    return 0;
}
