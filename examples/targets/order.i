extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

/* Reads a number of a protocol, which sends the highest byte first. */
static unsigned parse(const unsigned char *packet)
{
    unsigned number;
    unsigned char *bytes = (unsigned char *)&number;
    for (int n = 0; n < 4; n++)
        bytes[n] = packet[n];
    return number;
}

int main(void)
{
    unsigned char packet[4];
    for (int n = 0; n < 4; n++)
        packet[n] = __VERIFIER_nondet_uchar();
    /* Right only where memory has the highest byte first. */
    if (parse(packet) >> 24 != packet[0])
        reach_error();
    return 0;
}
