/* The protocol of window.c with all its state in plain local variables. */
extern int __VERIFIER_nondet_int(void);

#ifndef SEQ
#define SEQ 6
#endif
#ifndef WINDOW
#define WINDOW 3
#endif
#ifndef SLOTS
#define SLOTS 3
#endif

#define PUT(ring, head, count, number) (ring[(head + count) % SLOTS] = (number), count++)
#define TAKE(ring, head, count) \
    (number = ring[head], ring[head] = 0, head = (head + 1) % SLOTS, count--)

int main(void)
{
    unsigned char base = 0, next = 0, expected = 0, number;
    unsigned char frames[SLOTS] = {0}, frame_head = 0, frame_count = 0;
    unsigned char acks[SLOTS] = {0}, ack_head = 0, ack_count = 0;
    for (;;) {
        switch (__VERIFIER_nondet_int()) {
        case 0: /* send a new frame */
            if ((next + SEQ - base) % SEQ < WINDOW && frame_count < SLOTS) {
                PUT(frames, frame_head, frame_count, next);
                next = (next + 1) % SEQ;
            }
            break;
        case 1: /* timeout: send all again */
            next = base;
            break;
        case 2: /* receive a frame */
            if (frame_count > 0 && ack_count < SLOTS) {
                TAKE(frames, frame_head, frame_count);
                if (number == expected)
                    expected = (expected + 1) % SEQ;
                PUT(acks, ack_head, ack_count, expected);
            }
            break;
        case 3: /* receive an acknowledgement */
            if (ack_count > 0) {
                TAKE(acks, ack_head, ack_count);
                if ((number + SEQ - base) % SEQ <= (next + SEQ - base) % SEQ)
                    base = number;
            }
            break;
        case 4: /* a frame is lost */
            if (frame_count > 0)
                TAKE(frames, frame_head, frame_count);
            break;
        default: /* an acknowledgement is lost */
            if (ack_count > 0)
                TAKE(acks, ack_head, ack_count);
        }
    }
}
