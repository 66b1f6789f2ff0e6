/* A sliding-window protocol (go back N) over two lossy channels, each a ring buffer.
   The sender numbers frames modulo SEQ and has at most WINDOW of them under way; the
   receiver acknowledges the next frame that it expects. */
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

static unsigned char base, next;               /* sender: oldest frame not acknowledged, next to send */
static unsigned char expected;                 /* receiver */
static unsigned char frames[SLOTS], frame_head, frame_count;
static unsigned char acks[SLOTS], ack_head, ack_count;

static void put_frame(unsigned char number)
{
    frames[(frame_head + frame_count) % SLOTS] = number;
    frame_count++;
}

static unsigned char take_frame(void)
{
    unsigned char number = frames[frame_head];
    frames[frame_head] = 0;
    frame_head = (frame_head + 1) % SLOTS;
    frame_count--;
    return number;
}

static void put_ack(unsigned char number)
{
    acks[(ack_head + ack_count) % SLOTS] = number;
    ack_count++;
}

static unsigned char take_ack(void)
{
    unsigned char number = acks[ack_head];
    acks[ack_head] = 0;
    ack_head = (ack_head + 1) % SLOTS;
    ack_count--;
    return number;
}

int main(void)
{
    for (;;) {
        switch (__VERIFIER_nondet_int()) {
        case 0: /* send a new frame */
            if ((next + SEQ - base) % SEQ < WINDOW && frame_count < SLOTS) {
                put_frame(next);
                next = (next + 1) % SEQ;
            }
            break;
        case 1: /* timeout: send all again */
            next = base;
            break;
        case 2: /* receive a frame */
            if (frame_count > 0 && ack_count < SLOTS) {
                if (take_frame() == expected)
                    expected = (expected + 1) % SEQ;
                put_ack(expected);
            }
            break;
        case 3: /* receive an acknowledgement */
            if (ack_count > 0) {
                unsigned char number = take_ack();
                if ((number + SEQ - base) % SEQ <= (next + SEQ - base) % SEQ)
                    base = number;
            }
            break;
        case 4: /* a frame is lost */
            if (frame_count > 0)
                take_frame();
            break;
        default: /* an acknowledgement is lost */
            if (ack_count > 0)
                take_ack();
        }
    }
}
