// Intrinsics of SSE2 on all kinds of elements.
#include <emmintrin.h>
#include <stdio.h>
static unsigned seed = 12345;
static unsigned next(void) { return seed = seed * 1103515245u + 12345u; }
static __m128i some(void) {
    int n[4];
    for (int i = 0; i < 4; i++)
        n[i] = next() ^ next() >> 16;
    return _mm_loadu_si128((__m128i *)n);
}
static void show(const char *name, __m128i v) {
    unsigned char b[16];
    _mm_storeu_si128((__m128i *)b, v);
    printf("%-10s", name);
    for (int i = 0; i < 16; i++)
        printf(" %02x", b[i]);
    puts("");
}
#define TWO(op) show(#op, _mm_##op(a, b))
#define BY(op, n) show(#op, _mm_##op(a, n))
#define FLOAT(op) show(#op, _mm_castps_si128(_mm_##op##_ps(f, g))), show(#op, _mm_castpd_si128(_mm_##op##_pd(d, e)))
int main(void) {
    for (int round = 0; round < 4; round++) {
        __m128i a = some(), b = some();
        TWO(adds_epi8); TWO(adds_epu8); TWO(adds_epi16); TWO(adds_epu16);
        TWO(subs_epi8); TWO(subs_epu8); TWO(subs_epi16); TWO(subs_epu16);
        TWO(avg_epu8); TWO(avg_epu16); TWO(max_epu8); TWO(min_epu8); TWO(max_epi16); TWO(min_epi16);
        TWO(mulhi_epi16); TWO(mulhi_epu16); TWO(mullo_epi16); TWO(madd_epi16); TWO(mul_epu32); TWO(sad_epu8);
        TWO(packs_epi16); TWO(packus_epi16); TWO(packs_epi32);
        TWO(unpacklo_epi8); TWO(unpackhi_epi8); TWO(unpacklo_epi16); TWO(unpackhi_epi16);
        TWO(unpacklo_epi32); TWO(unpackhi_epi32); TWO(unpacklo_epi64); TWO(unpackhi_epi64);
        TWO(add_epi8); TWO(sub_epi64); TWO(and_si128); TWO(andnot_si128); TWO(or_si128); TWO(xor_si128);
        TWO(cmpeq_epi8); TWO(cmpgt_epi16); TWO(cmplt_epi32);
        BY(slli_epi16, 3); BY(srli_epi16, 5); BY(srai_epi16, 20); BY(slli_epi32, 32); BY(srli_epi32, 7);
        BY(srai_epi32, 9); BY(slli_epi64, 33); BY(srli_epi64, 12); BY(slli_si128, 3); BY(srli_si128, 5);
        BY(shuffle_epi32, 0x1b); BY(shufflelo_epi16, 0x4e); BY(shufflehi_epi16, 0xb1);
        __m128i count = _mm_cvtsi32_si128(round * 11);
        BY(sll_epi16, count); BY(srl_epi32, count); BY(sra_epi32, count); BY(sll_epi64, count);
        printf("%x %d\n", _mm_movemask_epi8(a), _mm_cvtsi128_si32(b));
        __m128 f = _mm_set_ps(1.5f, -2.0f, round, 8), g = _mm_set_ps(-1, 2, 3, round);
        __m128d d = _mm_set_pd(2.5, -round), e = _mm_set_pd(-3, 1);
        FLOAT(add); FLOAT(mul); FLOAT(min); FLOAT(max); FLOAT(and); FLOAT(andnot); FLOAT(or); FLOAT(xor);
        FLOAT(cmplt); FLOAT(cmple); FLOAT(cmpeq); FLOAT(cmpneq); FLOAT(cmpnlt); FLOAT(cmpord); FLOAT(unpackhi); FLOAT(unpacklo);
        show("shufps", _mm_castps_si128(_mm_shuffle_ps(f, g, 0x93)));
        show("shufpd", _mm_castpd_si128(_mm_shuffle_pd(d, e, 2)));
        printf("%d %d %g\n", _mm_movemask_ps(f), _mm_movemask_pd(e), _mm_cvtss_f32(f));
    }
    return 0;
}
