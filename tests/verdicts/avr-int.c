// EXPECT: true
// TWIN: false(overflow)
// FLAGS: --property overflow --target=avr
// Where int has 16 bits, it overflows past 32767, and unsigned short is promoted to unsigned int.
/* No headers: those of the machine that runs the test are not the target's. */
unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
    unsigned char raw = __VERIFIER_nondet_uchar();
    unsigned short all = 65535;
    long wide = (long)raw * 200;
    if (all > -1)
        return 2147483647 + (sizeof(int) == 4);
#ifndef TWIN
    if (raw > 163)
        return wide > 32767 ? 0 : 1;
#endif
    return raw * 200;
}
