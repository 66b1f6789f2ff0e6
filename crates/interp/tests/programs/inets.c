#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
int main(void) {
    static const char *texts[] = {"1.2.3.4", "127.1", "10.65536", "0x7f.1", "0177.0.0.1", "256.1.1.1", "1.2.3", "4294967295", "4294967296", "1.2.3.4.5", "", "a", "1.2.3.4 x", "1.2.3.4x", "01.2.3.4", "::", "::1", "1::8", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "::1.2.3.4", "fe80::1", "1:2", ":::", "1:0:0:2:0:0:0:3", "12345::", "0:0:0:0:0:0:0:1", "2001:DB8::A", "1::2::3"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct in_addr a = {0};
        unsigned char b[16] = {0};
        char out[64] = "";
        printf("[%s] %d ", texts[i], inet_aton(texts[i], &a));
        printf("%08x %08x %08x %s ", ntohl(a.s_addr), inet_addr(texts[i]), inet_network(texts[i]), inet_ntoa(a));
        printf("%d ", inet_pton(AF_INET, texts[i], b));
        printf("%s ", inet_ntop(AF_INET, b, out, sizeof out));
        memset(b, 0, 16);
        printf("%d ", inet_pton(AF_INET6, texts[i], b));
        printf("%s\n", inet_ntop(AF_INET6, b, out, sizeof out));
    }
    char small[4];
    unsigned char b[4] = {1, 2, 3, 4};
    errno = 0;
    printf("%d", inet_ntop(AF_INET, b, small, sizeof small) == 0);
    printf(" %d\n", errno);
    errno = 0;
    printf("%d", inet_pton(99, "1", b));
    printf(" %d\n", errno);
    printf("%x %x %x\n", htons(0x1234), htonl(0x12345678), ntohs(0xff00));
    return 0;
}
