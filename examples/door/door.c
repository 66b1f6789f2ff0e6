/* A door with a lock: which requests does it grant? */
void _cwolf_event(const char *label);
int request(void); /* anything can be asked at any time */

enum state { CLOSED, OPENED, LOCKED };
static enum state door = CLOSED;

static void open_it(void)
{
    if (door == CLOSED) {
        door = OPENED;
        _cwolf_event("ring");
    }
}

static void close_it(void)
{
    if (door == OPENED)
        door = CLOSED;
}

static void lock_it(void)
{
    door = LOCKED; /* also with the door open */
    _cwolf_event("click");
}

static void unlock_it(void)
{
    if (door == LOCKED) {
        _cwolf_event("click");
        door = CLOSED;
    }
}

int main(void)
{
    for (;;) {
        switch (request()) {
        case 0: _cwolf_event("event open"); open_it(); break;
        case 1: _cwolf_event("event close"); close_it(); break;
        case 2: _cwolf_event("event lock"); lock_it(); break;
        case 3: _cwolf_event("event unlock"); unlock_it(); break;
        }
    }
}
