struct conn {
    int state;
    char kind;
};
typedef struct {
    struct conn link;
    int count;
} peer_t;
struct conn head;
peer_t peers[2];
int total;
static int fsm_step(struct conn *f, int by)
{
    f->state = by;
    return f->state;
}
int main(void)
{
    struct conn local;
    head.state = 1;
    head.kind = 2;
    peers[1].link.state = 3;
    peers[1].count = 4;
    total = 5;
    local.state = 6;
    total = local.state + fsm_step(&local, 7);
    return 0;
}
