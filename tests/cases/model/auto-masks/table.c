/* An unsigned index from outside, and a table of two dimensions. */
enum { IDLE, DIAL, TALK };
static const unsigned char next[3][3] = {{DIAL, IDLE, IDLE}, {DIAL, TALK, IDLE}, {TALK, TALK, IDLE}};
int input(void);
void tone(void);
void ring(void);
void idle(void);
int main(void) {
    unsigned char state = IDLE;
    for (;;) {
        unsigned event = input();
        if (event >= 3)
            continue;
        unsigned char to = next[state][event];
        if (to != state) {
            if (to == DIAL)
                tone();
            else if (to == TALK)
                ring();
            else
                idle();
        }
        state = to;
    }
}
