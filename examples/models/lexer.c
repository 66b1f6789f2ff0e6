/* A lexer for numbers, names, strings and comments, one character at a time.
 * Inside a comment there are no tokens:
 * property: G ({"comment begins"} -> X ((not ({number} \/ {name} \/ {string} \/ {sign})) W {"comment ends"})) */
void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

enum state { START, NUMBER, NAME, STRING, ESCAPE, SLASH, COMMENT, STAR };

static int is_digit(int c) { return c >= '0' && c <= '9'; }
static int is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static enum state begin(int c)
{
    if (is_digit(c))
        return NUMBER;
    if (is_letter(c))
        return NAME;
    if (c == '"')
        return STRING;
    if (c == '/')
        return SLASH;
    if (c > ' ')
        _cwolf_event("sign");
    return START;
}

static enum state next(enum state s, int c)
{
    switch (s) {
    case START: return begin(c);
    case NUMBER:
        if (is_digit(c))
            return NUMBER;
        _cwolf_event("number");
        return begin(c);
    case NAME:
        if (is_letter(c) || is_digit(c))
            return NAME;
        _cwolf_event("name");
        return begin(c);
    case STRING:
        if (c == '\\')
            return ESCAPE;
        if (c == '"') {
            _cwolf_event("string");
            return START;
        }
        return STRING;
    case ESCAPE: return STRING;
    case SLASH:
        if (c == '*') {
            _cwolf_event("comment begins");
            return COMMENT;
        }
        _cwolf_event("sign");
        return begin(c);
    case COMMENT: return c == '*' ? STAR : COMMENT;
    case STAR:
        if (c == '/') {
            _cwolf_event("comment ends");
            return START;
        }
        return c == '*' ? STAR : COMMENT;
    }
    return START;
}

/* Characters that matter, and any other. */
static int get(void)
{
    switch (__VERIFIER_nondet_int()) {
    case 0: return '"';
    case 1: return '/';
    case 2: return '*';
    case 3: return '\\';
    case 4: return '7';
    case 5: return 'x';
    case 6: return ' ';
    default: return __VERIFIER_nondet_int() & 0x7f;
    }
}

int main(void)
{
    enum state s = START;
    for (;;)
        s = next(s, get());
}
