// What changes symbols and types from outside: weak pragmas, external names, machine modes, small builtins.
#include <stdio.h>

#pragma weak absent
extern int absent(void);
int real(int x) { return x + 1; }
#pragma weak other = real
int other(int);
#pragma redefine_extname wanted real
int wanted(int);

typedef _Complex float dc __attribute__((mode(DC)));
typedef int v4 __attribute__((mode(V4SI)));
typedef float half __attribute__((mode(HF)));

static int through(int x) {
    __asm__ goto("" : : : : out);
    return x;
out:
    return -x;
}

int main(void) {
    printf("%d %d %d\n", absent ? 1 : 0, other(8), wanted(9));
    dc z = 1 + 2i;
    v4 v = {1, 2, 3, 4};
    printf("%zu %zu %zu %g %d\n", sizeof(dc), sizeof(v4), sizeof(half), __imag__ z, (v + v)[3]);
    printf("%d\n", through(4));
    printf("%d %d %ld %lld\n", __builtin_iround(2.5), __builtin_ifloorf(-1.5f), __builtin_lceil(1.25), __builtin_llfloorl(-2.5L));
    unsigned __int128 s = __builtin_bswap128((unsigned __int128)0x0102 << 64 | 5);
    printf("%lx %lx\n", (unsigned long)(s >> 64), (unsigned long)s);
    return 0;
}
