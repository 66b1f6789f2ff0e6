// EXPECT: true
// TWIN: false(bounds)
// A base64 encoder for any number of bytes. The twin counts room for whole groups only.
#include <assert.h>
#include <stdlib.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned __VERIFIER_nondet_uint(void);
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static char *encode(const unsigned char *in, size_t n)
{
#ifdef TWIN
    size_t size = n / 3 * 4 + 1;
#else
    size_t size = (n + 2) / 3 * 4 + 1;
#endif
    char *out = malloc(size);
    if (!out)
        return NULL;
    size_t i = 0, o = 0;
    while (n - i >= 3) {
        unsigned group = in[i] << 16 | in[i + 1] << 8 | in[i + 2];
        out[o++] = digits[group >> 18];
        out[o++] = digits[group >> 12 & 63];
        out[o++] = digits[group >> 6 & 63];
        out[o++] = digits[group & 63];
        i += 3;
    }
    if (i < n) {
        unsigned group = in[i] << 16;
        if (n - i == 2)
            group |= in[i + 1] << 8;
        out[o++] = digits[group >> 18];
        out[o++] = digits[group >> 12 & 63];
        out[o++] = n - i == 2 ? digits[group >> 6 & 63] : '=';
        out[o++] = '=';
    }
    out[o] = 0;
    assert(o + 1 == size);
    return out;
}
int main(void)
{
    size_t n = __VERIFIER_nondet_uint();
    if (n > 1000000)
        return 0;
    unsigned char *in = malloc(n);
    if (!in)
        return 1;
    for (size_t i = 0; i < n; i++)
        in[i] = __VERIFIER_nondet_uchar();
    char *out = encode(in, n);
    free(out);
    free(in);
    return 0;
}
