#include <stdlib.h>
#include <string.h>
/* Whoever is served was asked for a password before. */
struct session { int logged_in; char user[16]; };
extern int next(void);
extern const char *line(void);
extern int ask(void);
extern void serve(void);

int main(void)
{
    struct session *s = calloc(1, sizeof *s);
    for (;;) {
        switch (next()) {
        case 0:
            strncpy(s->user, line(), sizeof s->user - 1);
            s->logged_in = 0;
            break;
        case 1:
            s->logged_in = ask() == 7;
            break;
        case 2:
            if (s->logged_in)
                serve();
            break;
        }
    }
}
