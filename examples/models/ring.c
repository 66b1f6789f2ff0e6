/* Three stations on a token ring, linked by pointers; only the holder of the token sends.
 * Between two sends the token is passed on:
 * property: G ({"first sends","second sends","third sends"} -> X ((not {"first sends","second sends","third sends"}) W {pass})) */
#include <stdbool.h>

void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

struct station {
    struct station *next;
    bool has_token;
    bool has_data;
    int sent;
};

static struct station ring[3];

static void build(void)
{
    for (int i = 0; i < 3; i++)
        ring[i].next = &ring[(i + 1) % 3];
    ring[0].has_token = true;
}

static void name(struct station *s)
{
    if (s == &ring[0])
        _cwolf_event("first sends");
    else if (s == &ring[1])
        _cwolf_event("second sends");
    else
        _cwolf_event("third sends");
}

static void turn(struct station *s)
{
    if (!s->has_token)
        return;
    if (s->has_data) {
        s->has_data = false;
        s->sent++;
        name(s);
    }
    s->has_token = false;
    s->next->has_token = true;
    _cwolf_event("pass");
}

int main(void)
{
    build();
    for (;;) {
        int n = __VERIFIER_nondet_int();
        if (n < 0 || n > 2)
            continue;
        struct station *s = &ring[n];
        if (__VERIFIER_nondet_int()) {
            if (!s->has_data) {
                s->has_data = true;
                _cwolf_event("data");
            }
        } else {
            turn(s);
        }
    }
}
