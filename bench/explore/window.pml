/* The protocol of window.c by hand: go back N over two lossy channels, each a ring buffer. */
#ifndef SEQ
#define SEQ 6
#endif
#ifndef WINDOW
#define WINDOW 3
#endif
#ifndef SLOTS
#define SLOTS 3
#endif

byte base, next, expected;
byte frames[SLOTS], frame_head, frame_count;
byte acks[SLOTS], ack_head, ack_count;
byte number;

inline put_frame(n)
{
    frames[(frame_head + frame_count) % SLOTS] = n;
    frame_count++
}

inline take_frame()
{
    number = frames[frame_head];
    frames[frame_head] = 0;
    frame_head = (frame_head + 1) % SLOTS;
    frame_count--
}

inline put_ack(n)
{
    acks[(ack_head + ack_count) % SLOTS] = n;
    ack_count++
}

inline take_ack()
{
    number = acks[ack_head];
    acks[ack_head] = 0;
    ack_head = (ack_head + 1) % SLOTS;
    ack_count--
}

active proctype protocol()
{
    do
    :: (next + SEQ - base) % SEQ < WINDOW && frame_count < SLOTS ->
        put_frame(next);
        next = (next + 1) % SEQ
    :: next = base
    :: frame_count > 0 && ack_count < SLOTS ->
        take_frame();
        if
        :: number == expected -> expected = (expected + 1) % SEQ
        :: else
        fi;
        number = 0;
        put_ack(expected)
    :: ack_count > 0 ->
        take_ack();
        if
        :: (number + SEQ - base) % SEQ <= (next + SEQ - base) % SEQ -> base = number
        :: else
        fi;
        number = 0
    :: frame_count > 0 -> take_frame(); number = 0
    :: ack_count > 0 -> take_ack(); number = 0
    od
}
