// EXPECT: true
// TWIN: false(bounds)
// A ring buffer of any capacity: only what is not negative is put in, so nothing negative comes out. The twin wraps one too late.
#include <assert.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
struct ring {
    int *data;
    unsigned capacity, head, count;
};
static int put(struct ring *r, int value)
{
    if (r->count == r->capacity)
        return 0;
    unsigned at = r->head + r->count;
#ifdef TWIN
    if (at > r->capacity)
#else
    if (at >= r->capacity)
#endif
        at -= r->capacity;
    r->data[at] = value;
    r->count++;
    return 1;
}
static int take(struct ring *r, int *value)
{
    if (r->count == 0)
        return 0;
    *value = r->data[r->head];
    r->head++;
    if (r->head == r->capacity)
        r->head = 0;
    r->count--;
    return 1;
}
int main(void)
{
    struct ring r;
    r.capacity = __VERIFIER_nondet_uint();
    if (r.capacity == 0 || r.capacity > 1000000)
        return 1;
    r.data = calloc(r.capacity, sizeof *r.data);
    if (!r.data)
        return 1;
    r.head = r.count = 0;
    while (__VERIFIER_nondet_int()) {
        int value = __VERIFIER_nondet_int();
        if (value >= 0)
            put(&r, value);
        else if (take(&r, &value))
            assert(value >= 0);
        assert(r.count <= r.capacity);
        assert(r.head < r.capacity);
    }
    free(r.data);
    return 0;
}
