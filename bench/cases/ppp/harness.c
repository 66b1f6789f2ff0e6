/* The world around pppd's automaton (pppd/fsm.c, as it is): the 16 events of RFC 1661 in any order, for ever,
 * and callbacks that only say that they were called. Packets come in and go out as bytes. */
#include "pppd.h"
#include "fsm.h"

void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

static void resetci(fsm *f) { }
static int cilen(fsm *f) { return 0; }
static void addci(fsm *f, u_char *to, int *length) { }
static int ackci(fsm *f, u_char *from, int length) { return 1; }
static int nakci(fsm *f, u_char *from, int length, int reject) { return 1; }
static int rejci(fsm *f, u_char *from, int length) { return 1; }

static int answer; /* what we say to the peer's next request */
static int reqci(fsm *f, u_char *from, int *length, int reject) { return answer; }

static void up(fsm *f) { _cwolf_event("tlu"); }
static void down(fsm *f) { _cwolf_event("tld"); }
static void starting(fsm *f) { _cwolf_event("tls"); }
static void finished(fsm *f) { _cwolf_event("tlf"); }

/* Echo-Request is the one code beyond those of fsm.c; lcp.c answers it when the link is opened. */
enum { ECHO_REQUEST = 9, UNKNOWN_CODE = 77 };
static int extcode(fsm *f, int code, int id, u_char *from, int length)
{
    if (code != ECHO_REQUEST)
        return 0;
    if (f->state == OPENED)
        _cwolf_event("ser");
    return 1;
}

static fsm_callbacks callbacks = {
    resetci, cilen, addci, ackci, nakci, rejci, reqci, up, down, starting, finished, 0, 0, extcode, "LCP"
};
static fsm lcp;

/* What the rest of pppd does for fsm.c. */
u_char outpacket_buf[PPP_MRU + PPP_HDRLEN];
static void (*timer)(void *);
void timeout(void (*function)(void *), void *argument, int seconds, int microseconds) { timer = function; }
void untimeout(void (*function)(void *), void *argument) { timer = 0; }
void dbglog(char *format, ...) { }
void info(char *format, ...) { }
void warn(char *format, ...) { }
void error(char *format, ...) { }
void output(int unit, u_char *packet, int length)
{
    switch (packet[PPP_HDRLEN]) {
    case CONFREQ: _cwolf_event("scr"); break;
    case CONFACK: _cwolf_event("sca"); break;
    case CONFNAK: case CONFREJ: _cwolf_event("scn"); break;
    case TERMREQ: _cwolf_event("str"); break;
    case TERMACK: _cwolf_event("sta"); break;
    case CODEREJ: _cwolf_event("scj"); break;
    default: _cwolf_event("other");
    }
}

static u_char packet[8]; /* a header, and the header of a rejected packet */
static void receive(int code, int id, int length)
{
    packet[0] = code;
    packet[1] = id;
    packet[2] = 0;
    packet[3] = length;
    fsm_input(&lcp, packet, length);
}

static void show_state(void)
{
    switch (lcp.state) {
    case INITIAL: _cwolf_event("state=Initial"); break;
    case STARTING: _cwolf_event("state=Starting"); break;
    case CLOSED: _cwolf_event("state=Closed"); break;
    case STOPPED: _cwolf_event("state=Stopped"); break;
    case CLOSING: _cwolf_event("state=Closing"); break;
    case STOPPING: _cwolf_event("state=Stopping"); break;
    case REQSENT: _cwolf_event("state=Req-Sent"); break;
    case ACKRCVD: _cwolf_event("state=Ack-Rcvd"); break;
    case ACKSENT: _cwolf_event("state=Ack-Sent"); break;
    case OPENED: _cwolf_event("state=Opened"); break;
    }
}

static void raise_event(void)
{
    switch (__VERIFIER_nondet_int()) {
    case 0: _cwolf_event("event Up"); fsm_lowerup(&lcp); break;
    case 1: _cwolf_event("event Down"); fsm_lowerdown(&lcp); break;
    case 2: _cwolf_event("event Open"); fsm_open(&lcp); break;
    case 3: _cwolf_event("event Close"); fsm_close(&lcp, 0); break;
    case 4: /* only a timer that runs can expire */
        if (timer) {
            void (*expired)(void *) = timer;
            if (lcp.retransmits > 0)
                _cwolf_event("event TO+");
            else
                _cwolf_event("event TO-");
            timer = 0;
            expired(&lcp);
        }
        break;
    case 5: answer = CONFACK; _cwolf_event("event RCR+"); receive(CONFREQ, 1, 4); break;
    case 6: answer = CONFNAK; _cwolf_event("event RCR-"); receive(CONFREQ, 1, 4); break;
    case 7: _cwolf_event("event RCA"); receive(CONFACK, lcp.reqid, 4); break;
    case 8: _cwolf_event("event RCN"); receive(CONFNAK, lcp.reqid, 4); break;
    case 9: _cwolf_event("event RTR"); receive(TERMREQ, 1, 4); break;
    case 10: _cwolf_event("event RTA"); receive(TERMACK, 1, 4); break;
    case 11: _cwolf_event("event RUC"); receive(UNKNOWN_CODE, 1, 4); break;
    case 12: _cwolf_event("event RXJ+"); receive(CODEREJ, 1, 8); break;
    case 13: _cwolf_event("event RXJ-"); fsm_protreject(&lcp); break;
    case 14: _cwolf_event("event RXR"); receive(ECHO_REQUEST, 1, 4); break;
    }
}

int main(void)
{
    lcp.callbacks = &callbacks;
    lcp.protocol = PPP_LCP;
    peer_mru[0] = PPP_MRU;
    fsm_init(&lcp);
    lcp.maxconfreqtransmits = 2; /* pppd's options lcp-max-configure, lcp-max-terminate */
    lcp.maxtermtransmits = 2;
    for (;;) {
        /* Answers carry the identifier of the last request, whatever it is: counting them from 0 before each
         * event keeps the model small and changes no comparison. */
        lcp.id = 0;
        show_state();
        raise_event();
    }
}
