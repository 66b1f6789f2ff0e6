/* A ring buffer whose head and tail only grow: how much is in it is their difference. */
int input(void);
void full(void);
void stored(int slot);
void taken(int slot);

static unsigned head, tail;

int main(void)
{
    for (;;) {
        if (!input()) {
            if (head != tail)
                taken(tail++ % 4u);
        } else if (head - tail == 4u) {
            full();
        } else {
            stored(head++ % 4u);
        }
    }
}
