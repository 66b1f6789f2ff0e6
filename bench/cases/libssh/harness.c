/* libssh's filter for incoming packets, in any state of a session that its unit test (torture_packet_filter.c) looks at. As there,
 * packet.c is included, because the filter is static. A packet that passes goes to its handler, if that changes the session's
 * state. What an event does not mention may be anything. */
#include "packet.c"

void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

/* What libssh says to its user. */
void _ssh_log(int verbosity, const char *function, const char *format, ...) { }

static struct ssh_session_struct session;

static void show_state(void)
{
    switch (session.session_state) {
    case SSH_SESSION_STATE_NONE: _cwolf_event("state=NONE"); break;
    case SSH_SESSION_STATE_CONNECTING: _cwolf_event("state=CONNECTING"); break;
    case SSH_SESSION_STATE_SOCKET_CONNECTED: _cwolf_event("state=SOCKET_CONNECTED"); break;
    case SSH_SESSION_STATE_BANNER_RECEIVED: _cwolf_event("state=BANNER_RECEIVED"); break;
    case SSH_SESSION_STATE_INITIAL_KEX: _cwolf_event("state=INITIAL_KEX"); break;
    case SSH_SESSION_STATE_KEXINIT_RECEIVED: _cwolf_event("state=KEXINIT_RECEIVED"); break;
    case SSH_SESSION_STATE_DH: _cwolf_event("state=DH"); break;
    case SSH_SESSION_STATE_AUTHENTICATING: _cwolf_event("state=AUTHENTICATING"); break;
    case SSH_SESSION_STATE_AUTHENTICATED: _cwolf_event("state=AUTHENTICATED"); break;
    case SSH_SESSION_STATE_ERROR: _cwolf_event("state=ERROR"); break;
    case SSH_SESSION_STATE_DISCONNECTED: _cwolf_event("state=DISCONNECTED"); break;
    default: break;
    }
}

/* Any value of an enumeration. */
static int below(int count)
{
    int chosen = 0;
    while (chosen < count - 1 && __VERIFIER_nondet_int())
        chosen++;
    return chosen;
}

static void arrive(int type)
{
    session.in_packet.type = type;
    switch (ssh_packet_incoming_filter(&session)) {
    case SSH_PACKET_ALLOWED:
        _cwolf_event("allow");
        if (type == SSH2_MSG_USERAUTH_SUCCESS)
            ssh_packet_userauth_success(&session, type, 0, 0);
        break;
    case SSH_PACKET_DENIED: _cwolf_event("deny"); break;
    case SSH_PACKET_UNKNOWN: _cwolf_event("unknown"); break;
    }
}

static int is_answer_awaited(void)
{
    switch (session.auth.state) {
    case SSH_AUTH_STATE_PUBKEY_AUTH_SENT:
    case SSH_AUTH_STATE_PASSWORD_AUTH_SENT:
    case SSH_AUTH_STATE_GSSAPI_MIC_SENT:
    case SSH_AUTH_STATE_KBDINT_SENT:
    case SSH_AUTH_STATE_AUTH_NONE_SENT: return 1;
    default: return 0;
    }
}

static void raise_event(void)
{
    int finished = session.dh_handshake_state == DH_STATE_FINISHED;
    switch (__VERIFIER_nondet_int()) {
    case 0: _cwolf_event("event CHANNEL_OPEN"); arrive(SSH2_MSG_CHANNEL_OPEN); break;
    case 1: _cwolf_event("event CHANNEL_SUCCESS"); arrive(SSH2_MSG_CHANNEL_SUCCESS); break;
    case 2: _cwolf_event("event CHANNEL_FAILURE"); arrive(SSH2_MSG_CHANNEL_FAILURE); break;
    case 3: _cwolf_event("event REQUEST_SUCCESS"); arrive(SSH2_MSG_REQUEST_SUCCESS); break;
    case 4: _cwolf_event("event REQUEST_FAILURE"); arrive(SSH2_MSG_REQUEST_FAILURE); break;
    case 5:
        if (finished)
            _cwolf_event("event EXT_INFO");
        else
            _cwolf_event("event EXT_INFO during key exchange");
        arrive(SSH2_MSG_EXT_INFO);
        break;
    case 6:
        if (session.server)
            _cwolf_event("event USERAUTH_SUCCESS to a server");
        else if (!finished)
            _cwolf_event("event USERAUTH_SUCCESS during key exchange");
        else if (is_answer_awaited())
            _cwolf_event("event USERAUTH_SUCCESS");
        else
            _cwolf_event("event USERAUTH_SUCCESS unasked");
        arrive(SSH2_MSG_USERAUTH_SUCCESS);
        break;
    case 7: /* numbers without a meaning; those at the ends of the gaps */
        switch (__VERIFIER_nondet_int()) {
        case 0: _cwolf_event("event unassigned"); arrive(8); break;
        case 1: _cwolf_event("event unassigned"); arrive(19); break;
        case 2: _cwolf_event("event unassigned"); arrive(22); break;
        case 3: _cwolf_event("event unassigned"); arrive(29); break;
        case 4: _cwolf_event("event unassigned"); arrive(35); break;
        case 5: _cwolf_event("event unassigned"); arrive(49); break;
        case 6: _cwolf_event("event unassigned"); arrive(54); break;
        case 7: _cwolf_event("event unassigned"); arrive(59); break;
        case 8: _cwolf_event("event unassigned"); arrive(62); break;
        case 9: _cwolf_event("event unassigned"); arrive(67); break;
        case 10: _cwolf_event("event unassigned"); arrive(79); break;
        case 11: _cwolf_event("event unassigned"); arrive(83); break;
        case 12: _cwolf_event("event unassigned"); arrive(89); break;
        }
        break;
    }
}

int main(void)
{
    session.server = below(2);
    session.client = !session.server;
    session.session_state = below(SSH_SESSION_STATE_DISCONNECTED + 1);
    session.dh_handshake_state = below(DH_STATE_FINISHED + 1);
    session.auth.state = below(SSH_AUTH_STATE_AUTH_NONE_SENT + 1);
    session.global_req_state = below(SSH_CHANNEL_REQ_STATE_ERROR + 1);
    show_state();
    raise_event();
    show_state();
    return 0;
}
