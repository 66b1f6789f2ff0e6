/* A slave that reads frames of bytes: address, function, length, data, checksum, in a buffer of its own. It answers what is addressed
 * to it, and says nothing to broadcasts.
 * A reply is sent only after a frame with a right checksum:
 * property: (not {reply}) W {"frame ok"} */
#include <string.h>

void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

#define ME 17
#define MOST 8

enum { READ_COILS = 1, WRITE_COIL = 5, DIAGNOSE = 8 };

struct receiver {
    unsigned char buffer[MOST];
    unsigned char count;
    unsigned char expected;
};

static unsigned char checksum(const unsigned char *p, unsigned n)
{
    unsigned char sum = 0;
    while (n--)
        sum ^= *p++;
    return sum;
}

static void execute(const unsigned char *frame)
{
    int broadcast = frame[0] == 0;
    switch (frame[1]) {
    case READ_COILS:
        if (!broadcast)
            _cwolf_event("reply");
        break;
    case WRITE_COIL:
        _cwolf_event("coil");
        if (!broadcast)
            _cwolf_event("reply");
        break;
    case DIAGNOSE:
        if (!broadcast)
            _cwolf_event("reply");
        break;
    default:
        if (!broadcast)
            _cwolf_event("exception");
    }
}

static void receive(struct receiver *r, unsigned char byte)
{
    r->buffer[r->count++] = byte;
    if (r->count == 1 && byte != ME && byte != 0) {
        _cwolf_event("skip");
        r->count = 0;
        return;
    }
    if (r->count == 3) {
        if (byte > MOST - 4) {
            _cwolf_event("too long");
            memset(r, 0, sizeof *r);
            return;
        }
        r->expected = (unsigned char)(byte + 4);
    }
    if (r->count >= 4 && r->count == r->expected) {
        if (checksum(r->buffer, r->count - 1u) == r->buffer[r->count - 1]) {
            _cwolf_event("frame ok");
            execute(r->buffer);
        } else {
            _cwolf_event("bad checksum");
        }
        memset(r, 0, sizeof *r);
    }
}

int main(void)
{
    struct receiver r = { .count = 0 };
    for (;;)
        receive(&r, (unsigned char)__VERIFIER_nondet_int());
}
