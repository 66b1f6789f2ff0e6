/* A lift with four floors. The statistics matter to nobody. */
extern int button(void);
extern void open_door(void), close_door(void), up(void), down(void), print(long);

enum direction { IDLE, UP, DOWN };

struct lift {
    int floor, target;
    enum direction direction;
    _Bool open;
    long moves;
};

static void move(struct lift *l)
{
    l->moves++;
    if (l->open) {
        close_door();
        l->open = 0;
    }
    if (l->direction == UP) {
        up();
        l->floor++;
    } else {
        down();
        l->floor--;
    }
    if (l->floor == l->target) {
        l->direction = IDLE;
        open_door();
        l->open = 1;
    }
}

int main(void)
{
    struct lift l = { 0, 0, IDLE, 1, 0 };
    for (;;) {
        if (l.direction == IDLE) {
            int wanted = button();
            if (wanted < 0 || wanted > 3)
                continue;
            l.target = wanted;
            l.direction = wanted > l.floor ? UP : wanted < l.floor ? DOWN : IDLE;
        }
        if (l.direction != IDLE)
            move(&l);
        print(l.moves);
    }
}
