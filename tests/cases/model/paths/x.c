enum { IDLE, OPEN = 5 };
#define LIMIT (1 << 4)
#define OK 200
struct conn {
    int state;
    int other;
};
typedef struct {
    int code;
} packet;
struct conn one, two, *cur;
packet pack;
int row[4], at;
int nd(void);
void reply(int code, packet *p);
static int get(int n)
{
    return n + 1;
}
int main(void)
{
    cur = &one;
    cur->state = OPEN;
    cur = &two;
    cur->state = IDLE;
    at = 2;
    row[at] = LIMIT;
    pack.code = 7;
    reply(200, &pack);
    pack.code = nd() ? 8 : 9;
    reply(404, &pack);
    get(4);
    return 0;
}
