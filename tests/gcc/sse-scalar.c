// Intrinsics on the first element alone, comparisons, conversions, square roots.
#include <stdio.h>
#include <emmintrin.h>

static void floats(__m128 v) {
    float o[4];
    _mm_storeu_ps(o, v);
    printf("%g %g %g %g\n", o[0], o[1], o[2], o[3]);
}
static void doubles(__m128d v) {
    double o[2];
    _mm_storeu_pd(o, v);
    printf("%g %g\n", o[0], o[1]);
}
static void ints(__m128i v) {
    int o[4];
    _mm_storeu_si128((__m128i *)o, v);
    printf("%d %d %d %d\n", o[0], o[1], o[2], o[3]);
}

int main(void) {
    __m128 a = _mm_setr_ps(1.5f, 2, 3, 4), b = _mm_setr_ps(2.5f, -6, 7, -8);
    __m128 nan = _mm_set1_ps(__builtin_nanf(""));
    floats(_mm_add_ss(a, b));
    floats(_mm_sub_ss(a, b));
    floats(_mm_mul_ss(a, b));
    floats(_mm_div_ss(a, b));
    floats(_mm_sqrt_ss(_mm_set_ss(9)));
    floats(_mm_sqrt_ps(a));
    floats(_mm_min_ss(a, b));
    floats(_mm_max_ss(a, nan));
    floats(_mm_max_ss(nan, a));
    floats(_mm_and_ps(_mm_cmplt_ss(a, b), a));
    floats(_mm_and_ps(_mm_cmpunord_ss(nan, b), a));
    floats(_mm_and_ps(_mm_cmpgt_ss(b, a), a));
    floats(_mm_move_ss(a, b));
    floats(_mm_movehl_ps(a, b));
    floats(_mm_movelh_ps(a, b));
    printf("%d %d %d %d\n", _mm_comilt_ss(a, b), _mm_ucomieq_ss(a, a), _mm_comineq_ss(a, b), _mm_ucomige_ss(a, b));
    floats(_mm_cvtsi32_ss(a, 7));
    printf("%d %d %d\n", _mm_cvtss_si32(a), _mm_cvttss_si32(b), _mm_cvtss_si32(b));
    printf("%d %d\n", _mm_cvtss_si32(nan), _mm_cvttss_si32(_mm_set_ss(-3e9f)));
    printf("%lld %lld\n", _mm_cvtss_si64(_mm_set_ss(3e9f)), _mm_cvttss_si64(_mm_set_ss(1e20f)));
    ints(_mm_cvtps_epi32(_mm_setr_ps(1.5f, 2.5f, -1.5f, 1e20f)));
    ints(_mm_cvttps_epi32(_mm_setr_ps(1.5f, -2.5f, -2147483648.0f, 2147483648.0f)));
    floats(_mm_cvtepi32_ps(_mm_setr_epi32(1, -2, 16777217, 4)));

    __m128d c = _mm_setr_pd(2.25, 3), d = _mm_setr_pd(-1, 5);
    doubles(_mm_add_sd(c, d));
    doubles(_mm_div_sd(c, d));
    doubles(_mm_sqrt_sd(d, c));
    doubles(_mm_sqrt_pd(c));
    doubles(_mm_min_sd(c, d));
    doubles(_mm_cvtsi32_sd(c, -7));
    doubles(_mm_cvtsi64_sd(c, 1LL << 40));
    doubles(_mm_cvtss_sd(c, b));
    floats(_mm_cvtsd_ss(a, c));
    doubles(_mm_cvtps_pd(b));
    floats(_mm_cvtpd_ps(d));
    ints(_mm_cvtpd_epi32(_mm_setr_pd(2.5, -3.5)));
    ints(_mm_cvttpd_epi32(_mm_setr_pd(2.5, 1e10)));
    doubles(_mm_cvtepi32_pd(_mm_setr_epi32(1, -2, 3, 4)));
    printf("%d %d %d\n", _mm_cvtsd_si32(c), _mm_cvttsd_si32(d), _mm_comigt_sd(c, d));
    printf("%lld\n", _mm_cvtsd_si64(_mm_set_sd(1e10)));
    return 0;
}
