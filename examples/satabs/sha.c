/* The Secure Hash Algorithm's compression function: the round's number divided by 20 chooses
   one of four functions, and no other value can come up. */
#include <assert.h>

#define ROTATE(n, x) (((x) << (n)) | ((x) >> (32 - (n))))

unsigned int __VERIFIER_nondet_uint(void);

static const unsigned int K_1 = 0x5a827999, K_2 = 0x6ed9eba1, K_3 = 0x8f1bbcdc, K_4 = 0xca62c1d6;

static unsigned int W[80];

int main(void)
{
    unsigned int a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;
    int t;
    for (t = 0; t < 16; t++)
        W[t] = __VERIFIER_nondet_uint();
    for (t = 16; t < 80; t++)
        W[t] = ROTATE(1, W[t - 3] ^ W[t - 8] ^ W[t - 14] ^ W[t - 16]);
    for (t = 0; t < 80; t++) {
        unsigned int f, k, next;
        switch (t / 20) {
        case 0:
            f = (b & c) | (~b & d);
            k = K_1;
            break;
        case 1:
            f = b ^ c ^ d;
            k = K_2;
            break;
        case 2:
            f = (b & c) | (b & d) | (c & d);
            k = K_3;
            break;
        case 3:
            f = b ^ c ^ d;
            k = K_4;
            break;
        default:
            f = k = 0;
            assert(0);
        }
        next = ROTATE(5, a) + f + e + k + W[t];
        e = d;
        d = c;
        c = ROTATE(30, b);
        b = a;
        a = next;
    }
    return 0;
}
