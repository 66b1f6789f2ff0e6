#include <stdio.h>
void field(void);
void row(void);
void bad(void);
enum { START, PLAIN, QUOTED, QUOTE };
static int state = START;
static int feed(const char *p, const char *end) {
    for (; p != end; ++p) {
        switch (state) {
        case START:
            field();
            state = *p == '"' ? QUOTED : PLAIN;
            break;
        case PLAIN:
            if (*p == ',')
                state = START;
            else if (*p == '\n') {
                row();
                state = START;
            }
            break;
        case QUOTED:
            if (*p == '"')
                state = QUOTE;
            break;
        case QUOTE:
            if (*p == '"')
                state = QUOTED;
            else if (*p == ',')
                state = START;
            else {
                bad();
                return -1;
            }
        }
    }
    return 0;
}
int main(void) {
    char text[256];
    size_t n;
    while ((n = fread(text, 1, sizeof text, stdin)) > 0)
        if (feed(text, text + n))
            return 1;
    return 0;
}
