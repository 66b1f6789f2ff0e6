/* What a machine makes of bytes: the order of bytes and bits, sizes, plain char, unions, copies of parts. */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void dump(const char *what, const void *at, size_t size)
{
    const unsigned char *p = at;
    printf("%s:", what);
    for (size_t n = 0; n < size; n++)
        printf(" %02x", p[n]);
    printf("\n");
}

struct bits {
    unsigned a : 3, b : 9;
    signed c : 5;
    unsigned long long d : 40;
    unsigned char e : 1;
};
union number {
    uint64_t whole;
    uint32_t half[2];
    uint16_t word[4];
    unsigned char byte[8];
    float f;
    double d;
};
struct mixed {
    char c;
    double d;
    short s;
    long long l;
    void *p;
    long n;
};
static struct bits first = {5, 300, -3, 0x123456789aULL, 1};
static union number constant = {0x0123456789abcdefULL};
static const uint32_t words[] = {1, 0x01020304, 0xffffffff};
static const wchar_t wide[] = L"ab";

static int64_t sum(int count, ...)
{
    va_list list, other;
    int64_t total = 0;
    va_start(list, count);
    va_copy(other, list);
    for (int n = 0; n < count; n++)
        total += n % 2 ? va_arg(list, int64_t) : va_arg(list, int);
    total = total * 1000 + va_arg(other, int);
    va_end(other);
    va_end(list);
    return total;
}

static int print(char *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = vsprintf(out, format, list);
    va_end(list);
    return count;
}

int main(void)
{
    struct bits bits = first;
    union number number = constant;
    memset(&bits, 0, sizeof bits);
    bits.a = 5, bits.b = 300, bits.c = -3, bits.d = 0x123456789aULL, bits.e = 1;
    dump("bits", &bits, sizeof bits);
    dump("first", &first, sizeof first);
    printf("%u %u %d %llx %u\n", bits.a, bits.b, bits.c, (unsigned long long)bits.d, bits.e);
    memset(&bits, 0x2d, sizeof bits);
    printf("%u %u %d %llx %u\n", bits.a, bits.b, bits.c, (unsigned long long)bits.d, bits.e);
    bits.d++, bits.b -= 7, bits.c <<= 1;
    dump("changed", &bits, sizeof bits);

    dump("number", &number, sizeof number);
    printf("%x %x %x %x\n", number.half[0], number.half[1], number.word[1], number.byte[2]);
    number.word[2] = 0xbeef;
    number.byte[7] = 0x11;
    printf("%llx\n", (unsigned long long)number.whole);
    number.d = -1.5;
    printf("%x %x\n", number.half[0], number.half[1]);
    number.f = 0.1f;
    printf("%x %x\n", number.half[0], number.byte[3]);

    uint32_t word;
    memcpy(&word, (const char *)words + 3, sizeof word);
    printf("%x\n", word);
    dump("wide", wide, sizeof wide);
    char plain = (char)0xf0;
    printf("%d %d %d\n", plain < 0, '\xf0' < 0, "\xf0"[0] < 0);
    printf("%d %d %d %d %d %d\n", (int)sizeof(long), (int)sizeof(void *), (int)sizeof(wchar_t),
           (int)sizeof(struct mixed), (int)offsetof(struct mixed, d), (int)offsetof(struct mixed, l));
    printf("%d %d\n", (int)sizeof(size_t), (wchar_t)-1 < 0);
    printf("%lld\n", (long long)sum(4, 1, (int64_t)20, 300, (int64_t)4000000000000));
    char text[80];
    print(text, "%d %lld %s %c %.3f %lx", -5, 1LL << 40, "word", 'x', 2.5, 77ul);
    puts(text);
    int i;
    long l;
    short s;
    float f;
    double d;
    sscanf("12 -34 56 7.5 8.25", "%d %ld %hd %f %lf", &i, &l, &s, &f, &d);
    printf("%d %ld %d %.2f %.2f\n", i, l, s, f, d);
    div_t parts = div(17, 5);
    printf("%d %d\n", parts.quot, parts.rem);
    printf("%x %x %d %d %d\n", htons(0x1234), htonl(0x01020304), isalpha('q'), !!isdigit('7'), isspace('a'));
    char *end;
    printf("%ld %d\n", strtol("99x", &end, 10), *end);
    return 0;
}
