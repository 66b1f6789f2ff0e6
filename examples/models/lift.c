/* A lift between three floors. It moves with closed doors only, and opens where a button was pressed.
 * No move between opening and closing the door:
 * property: G ({open} -> X ((not ({up} \/ {down})) W {close})) */
#include <stdbool.h>

void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

enum { FLOORS = 3 };

static bool wanted[FLOORS];
static int floor_now;
static int direction = 1;
static bool door_open;

static bool any_wanted(int from, int to)
{
    for (int f = from; f <= to; f++)
        if (wanted[f])
            return true;
    return false;
}

static void move(void)
{
    if (direction > 0 && !any_wanted(floor_now + 1, FLOORS - 1))
        direction = -1;
    else if (direction < 0 && !any_wanted(0, floor_now - 1))
        direction = 1;
    if (direction > 0 ? any_wanted(floor_now + 1, FLOORS - 1) : any_wanted(0, floor_now - 1)) {
        floor_now += direction;
        _cwolf_event(direction > 0 ? "up" : "down");
    }
}

static void step(void)
{
    if (door_open) {
        door_open = false;
        _cwolf_event("close");
    } else if (wanted[floor_now]) {
        wanted[floor_now] = false;
        door_open = true;
        _cwolf_event("open");
    } else {
        move();
    }
}

int main(void)
{
    for (;;) {
        int button = __VERIFIER_nondet_int();
        if (button >= 0 && button < FLOORS && !wanted[button]) {
            wanted[button] = true;
            _cwolf_event("press");
        } else {
            step();
        }
    }
}
