/* A message digest that looks up a permutation of the bytes: the last result, mixed with the
   message, is the next index, and stays below 256. The table is any permutation. */

unsigned char __VERIFIER_nondet_uchar(void);

#ifndef ROUNDS
#define ROUNDS 18
#endif

static const unsigned char SUBSTITUTION[256] = {
    106, 178, 186,  37,  32,   2, 254, 154, 115, 243,  83,  27, 248,  25, 218, 122,
     91, 216, 123, 105, 184, 173,  64, 200, 255,  66,  28, 219,  44,  59,  49, 247,
     99, 240,  85,  96, 227,  41,  94, 251, 190,  60, 100,  81,  82, 112,  67, 168,
    188,   4, 198,  39, 181,  77, 214, 239, 231, 152,  97,   3, 225, 120,  86, 176,
    217, 203,   8, 197,   7, 241, 234,  13, 213, 187, 245, 224,  71,  58,   6, 156,
     65, 193,  40, 196, 207,  47,  68, 159, 167,   0, 229, 128, 175,  75, 177,   1,
    139,  84, 103, 102, 238, 145, 157, 133, 199, 153,  45,  53, 135, 183, 124, 110,
    130, 104, 150, 113,  35,  70,  51, 226,  21, 191, 151, 237, 117, 132,  50, 179,
     33, 169,  55, 206, 172,  29,  43,  90, 118,   5,  88,  98,  72, 170,  79, 192,
    194, 121,  69, 233, 235, 195, 202, 189,  89, 162, 185, 201, 215,  19,  10, 164,
    125, 253, 171,  42, 212, 131, 209, 249, 155,  73, 114,  87, 126, 134, 180, 221,
     20,  62, 204,  63,  76,  92, 116, 220, 119,  80, 109, 136, 205, 127,  52, 158,
    222, 228,  16, 182, 140, 246,  95,  48, 163, 208, 148,  26,  46, 174, 143,  78,
    146,  30, 138,  36, 236,  74,  34, 142,  11,  56, 250, 252, 223, 147, 230, 244,
    160, 161,  57,  31, 144, 211,  15, 108, 141,  23,  61,  17, 107, 111,  22,   9,
     54, 129, 232,  14, 149,  93,  24, 137, 210,  18,  12, 166, 101,  38, 242, 165,
};

static void transform(unsigned char state[16], unsigned char checksum[16], unsigned char block[16])
{
    unsigned int i, j, t;
    unsigned char x[48];
    for (i = 0; i < 16; i++) {
        x[i] = state[i];
        x[i + 16] = block[i];
        x[i + 32] = state[i] ^ block[i];
    }
    t = 0;
    for (i = 0; i < ROUNDS; i++) {
        for (j = 0; j < 48; j++)
            t = x[j] ^= SUBSTITUTION[t]; /* t must be at most 255 */
        t = (t + i) & 0xff;
    }
    for (i = 0; i < 16; i++)
        state[i] = x[i];
    t = checksum[15];
    for (i = 0; i < 16; i++)
        t = checksum[i] ^= SUBSTITUTION[block[i] ^ t]; /* t must be at most 255 */
}

int main(void)
{
    unsigned char state[16], checksum[16], block[16];
    for (int n = 0; n < 16; n++) {
        state[n] = 0;
        checksum[n] = 0;
        block[n] = __VERIFIER_nondet_uchar();
    }
    transform(state, checksum, block);
    return 0;
}
