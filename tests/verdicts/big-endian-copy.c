// EXPECT: true
// TWIN: false(assertion)
// FLAGS: --target=powerpc64
// Bytes that are copied one by one, or all at once, into a number; plain char is unsigned there.
/* No headers: those of the machine that runs the test are not the target's. */
extern void __assert_fail(const char *, const char *, unsigned, const char *);
#define assert(c) ((c) ? (void)0 : __assert_fail(#c, __FILE__, __LINE__, ""))
unsigned char __VERIFIER_nondet_uchar(void);
void *memcpy(void *to, const void *from, unsigned long size);
int main(void) {
    unsigned char packet[8];
    for (int n = 0; n < 8; n++)
        packet[n] = __VERIFIER_nondet_uchar();
    unsigned long number;
    unsigned short part;
    memcpy(&number, packet, 8);
    memcpy(&part, packet + 3, 2);
    char plain = (char)packet[0];
#ifndef TWIN
    assert(number >> 56 == packet[0] && (number & 0xff) == packet[7]);
    assert(part == (packet[3] << 8 | packet[4]));
    assert(plain >= 0);
#else
    assert((number & 0xff) == packet[0]);
#endif
    return 0;
}
