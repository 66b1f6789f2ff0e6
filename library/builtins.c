/* The bit-counting builtins of GNU C, which arrive as calls when their argument is not
   constant. No preprocessor needed. */

/* Counts in pairs of bits, in fours, in bytes, and adds the bytes: without a loop, all engines know it exactly. */
int __builtin_popcount(unsigned x)
{
    x -= x >> 1 & ~0u / 3;
    x = (x & ~0u / 5) + (x >> 2 & ~0u / 5);
    x = (x + (x >> 4)) & ~0u / 17;
    return x * (~0u / 255) >> (8 * sizeof x - 8);
}

int __builtin_parity(unsigned x)
{
    return __builtin_popcount(x) & 1;
}

/* Undefined for 0: then the result is what was never written, any number. */
int __builtin_ctz(unsigned x)
{
    int n = 0, any;
    if (x == 0)
        return any;
    for (; x != 0 && (x & 1) == 0; x >>= 1)
        n++;
    return n;
}

int __builtin_clz(unsigned x)
{
    int n = 0, any;
    if (x == 0)
        return any;
    for (unsigned bit = ~(-1u >> 1); bit != 0 && (x & bit) == 0; bit >>= 1)
        n++;
    return n;
}

int __builtin_clrsb(int x)
{
    unsigned bits = x < 0 ? ~(unsigned)x : (unsigned)x;
    return bits == 0 ? (int)(8 * sizeof bits) - 1 : __builtin_clz(bits) - 1;
}

int __builtin_ffs(int x)
{
    return x == 0 ? 0 : __builtin_ctz((unsigned)x) + 1;
}

int ffs(int x)
{
    return x == 0 ? 0 : __builtin_ctz((unsigned)x) + 1;
}

int __builtin_popcountl(unsigned long x)
{
    x -= x >> 1 & ~0ul / 3;
    x = (x & ~0ul / 5) + (x >> 2 & ~0ul / 5);
    x = (x + (x >> 4)) & ~0ul / 17;
    return x * (~0ul / 255) >> (8 * sizeof x - 8);
}

int __builtin_parityl(unsigned long x)
{
    return __builtin_popcountl(x) & 1;
}

/* Undefined for 0: then the result is what was never written, any number. */
int __builtin_ctzl(unsigned long x)
{
    int n = 0, any;
    if (x == 0)
        return any;
    for (; x != 0 && (x & 1) == 0; x >>= 1)
        n++;
    return n;
}

int __builtin_clzl(unsigned long x)
{
    int n = 0, any;
    if (x == 0)
        return any;
    for (unsigned long bit = ~(-1ul >> 1); bit != 0 && (x & bit) == 0; bit >>= 1)
        n++;
    return n;
}

int __builtin_clrsbl(long x)
{
    unsigned long bits = x < 0 ? ~(unsigned long)x : (unsigned long)x;
    return bits == 0 ? (int)(8 * sizeof bits) - 1 : __builtin_clzl(bits) - 1;
}

int __builtin_ffsl(long x)
{
    return x == 0 ? 0 : __builtin_ctzl((unsigned long)x) + 1;
}

int ffsl(long x)
{
    return x == 0 ? 0 : __builtin_ctzl((unsigned long)x) + 1;
}

int __builtin_popcountll(unsigned long long x)
{
    x -= x >> 1 & ~0ull / 3;
    x = (x & ~0ull / 5) + (x >> 2 & ~0ull / 5);
    x = (x + (x >> 4)) & ~0ull / 17;
    return x * (~0ull / 255) >> (8 * sizeof x - 8);
}

int __builtin_parityll(unsigned long long x)
{
    return __builtin_popcountll(x) & 1;
}

/* Undefined for 0: then the result is what was never written, any number. */
int __builtin_ctzll(unsigned long long x)
{
    int n = 0, any;
    if (x == 0)
        return any;
    for (; x != 0 && (x & 1) == 0; x >>= 1)
        n++;
    return n;
}

int __builtin_clzll(unsigned long long x)
{
    int n = 0, any;
    if (x == 0)
        return any;
    for (unsigned long long bit = ~(-1ull >> 1); bit != 0 && (x & bit) == 0; bit >>= 1)
        n++;
    return n;
}

int __builtin_clrsbll(long long x)
{
    unsigned long long bits = x < 0 ? ~(unsigned long long)x : (unsigned long long)x;
    return bits == 0 ? (int)(8 * sizeof bits) - 1 : __builtin_clzll(bits) - 1;
}

int __builtin_ffsll(long long x)
{
    return x == 0 ? 0 : __builtin_ctzll((unsigned long long)x) + 1;
}

int ffsll(long long x)
{
    return x == 0 ? 0 : __builtin_ctzll((unsigned long long)x) + 1;
}

unsigned short __builtin_bswap16(unsigned short x)
{
    return (unsigned short)(x << 8 | x >> 8);
}

unsigned __builtin_bswap32(unsigned x)
{
    return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

unsigned long long __builtin_bswap64(unsigned long long x)
{
    unsigned long long high = __builtin_bswap32((unsigned)x);
    return high << 32 | __builtin_bswap32((unsigned)(x >> 32));
}
