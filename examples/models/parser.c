/* A parser by recursive descent with one token of lookahead, for sums of numbers and parentheses up to two deep.
 * Brackets close only after they open:
 * property: (not {close}) W {open} */
#include <stdlib.h>

void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

enum token { NUMBER, PLUS, OPEN, CLOSE, END };

static enum token ahead;

static void advance(void)
{
    switch (__VERIFIER_nondet_int()) {
    case 0: ahead = NUMBER; break;
    case 1: ahead = PLUS; break;
    case 2: ahead = OPEN; break;
    case 3: ahead = CLOSE; break;
    default: ahead = END;
    }
}

static void fail(void)
{
    _cwolf_event("error");
    exit(1);
}

static void expect(enum token t)
{
    if (ahead != t)
        fail();
    advance();
}

static void sum(int depth);

static void operand(int depth)
{
    if (ahead == NUMBER) {
        _cwolf_event("number");
        advance();
    } else if (ahead == OPEN && depth < 2) {
        _cwolf_event("open");
        advance();
        sum(depth + 1);
        expect(CLOSE);
        _cwolf_event("close");
    } else {
        fail();
    }
}

static void sum(int depth)
{
    operand(depth);
    while (ahead == PLUS) {
        advance();
        operand(depth);
        _cwolf_event("add");
    }
}

int main(void)
{
    advance();
    sum(0);
    expect(END);
    _cwolf_event("accept");
    return 0;
}
