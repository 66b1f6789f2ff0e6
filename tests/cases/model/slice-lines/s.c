extern int in(void);
extern void send(void), note(int);
struct queue { int length; int total; };
static void put(struct queue *q)
{
    q->length++;
    q->total++;
}
int main(void)
{
    struct queue q = { 0, 0 };
    int peak = 0;
    while (in()) {
        put(&q);
        if (q.total > peak)
            peak = q.total;
        if (q.length > 3) {
            send();
            q.length = 0;
        }
    }
    note(peak);
    return 0;
}
