/* Vectors, complex numbers and wide integers, seen as parts of each other. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint32_t v4 __attribute__((vector_size(16)));
typedef uint16_t v8 __attribute__((vector_size(16)));
typedef uint8_t v16 __attribute__((vector_size(16)));
typedef uint64_t v2 __attribute__((vector_size(16)));

static void show(const char *what, const void *at)
{
    const unsigned char *p = at;
    printf("%s:", what);
    for (int n = 0; n < 16; n++)
        printf(" %02x", p[n]);
    printf("\n");
}

int main(void)
{
    v4 a = {0x01020304, 0x11121314, 0x21222324, 0x31323334};
    v8 b = (v8)a;
    v16 c = (v16)b;
    v2 d = (v2)c;
    show("a", &a);
    printf("%x %x %x %llx\n", a[1], b[2], c[5], (unsigned long long)d[1]);
    b += 1;
    a = (v4)b;
    printf("%x %x\n", a[0], a[3]);
    double _Complex z = 1.5 - 2.0i;
    double parts[2];
    memcpy(parts, &z, sizeof parts);
    printf("%.1f %.1f\n", parts[0], parts[1]);
    union { _Bool t; unsigned char u; } truth = {.u = 1};
    printf("%d\n", truth.t);
    struct { unsigned long long wide : 37; unsigned rest : 27; } s = {0x1f12345678, 0x7654321};
    unsigned char bytes[sizeof s];
    memcpy(bytes, &s, sizeof s);
    for (unsigned n = 0; n < 8; n++)
        printf("%02x", bytes[n]);
    printf("\n%llx %x\n", (unsigned long long)s.wide + 1, s.rest);
    return 0;
}
