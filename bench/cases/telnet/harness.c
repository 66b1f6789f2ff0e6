/* The other side of telnetd's option negotiation (telnetd/state.c, as it is): the server asks for the option TERMINAL-TYPE to be switched
 * on and off, and the client says WILL and WONT, in any order, for ever. */
#include "telnetd.h"

void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

extern char doopt[], dont[], will[], wont[];

/* The variables of telnetd.c that state.c uses here. */
char options[256], do_dont_resp[256], will_wont_resp[256];
int debug_level[debug_max_mode];

/* What goes to a log. */
void printoption(char *format, int option) { }

/* What goes to the client. */
int net_output_data(const char *format, ...)
{
    if (format == doopt)
        _cwolf_event("DO");
    else if (format == dont)
        _cwolf_event("DONT");
    else
        _cwolf_event("other");
    return 0;
}

enum { OPTION = TELOPT_TTYPE };

/* The state by the names of RFC 1143. Requests that are not answered yet are counted; the last one says what is wanted. */
static void show_state(void)
{
    int on = his_want_state_is_will(OPTION) != 0;
    switch (do_dont_resp[OPTION]) {
    case 0: if (on) _cwolf_event("state=YES"); else _cwolf_event("state=NO"); break;
    case 1: if (on) _cwolf_event("state=WANTYES"); else _cwolf_event("state=WANTNO"); break;
    case 2: if (on) _cwolf_event("state=WANTNO-OPPOSITE"); else _cwolf_event("state=WANTYES-OPPOSITE"); break;
    default: _cwolf_event("state=three and more"); break;
    }
}

int main(void)
{
    for (;;) {
        show_state();
        switch (__VERIFIER_nondet_int()) {
        case 0: _cwolf_event("event ask-on"); send_do(OPTION, 1); break;
        case 1: _cwolf_event("event ask-off"); send_dont(OPTION, 1); break;
        case 2: _cwolf_event("event WILL"); willoption(OPTION); break;
        case 3: _cwolf_event("event WONT"); wontoption(OPTION); break;
        }
    }
}
