/* How many bits of the last byte of a bit string are unused: a byte that is not zero has a bit
   that is set, though it is looked at as a signed integer. */
#include <assert.h>

struct bit_string {
    int length;
    unsigned char data[16];
};

unsigned char __VERIFIER_nondet_uchar(void);
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

static int unused_bits(struct bit_string *a)
{
    int bits, j, len = a->length;
    while (len > 0 && a->data[len - 1] == 0)
        len--;
    if (len == 0)
        return 0;
    j = a->data[len - 1];
    if (j & 0x01)
        bits = 0;
    else if (j & 0x02)
        bits = 1;
    else if (j & 0x04)
        bits = 2;
    else if (j & 0x08)
        bits = 3;
    else if (j & 0x10)
        bits = 4;
    else if (j & 0x20)
        bits = 5;
    else if (j & 0x40)
        bits = 6;
    else if (j & 0x80)
        bits = 7;
    else {
        bits = 0;
        assert(0); /* should not happen */
    }
    return bits;
}

int main(void)
{
    struct bit_string a;
    a.length = __VERIFIER_nondet_int();
    __VERIFIER_assume(a.length >= 0 && a.length <= 16);
    for (int n = 0; n < 16; n++)
        a.data[n] = __VERIFIER_nondet_uchar();
    return unused_bits(&a);
}
