/* One TCP connection of lwIP (tcp.c, tcp_in.c and tcp_out.c as they are): the user opens and closes, the other side sends segments, in any
 * order, for ever. The numbers in a segment are those that the connection waits for; a FIN that came before comes again with the same number. */
#include "lwip/opt.h"
#include "lwip/tcp.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/ip.h"
#include "lwip/memp.h"
#include <stdlib.h>
#include <string.h>

void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

enum { HERE = 80, THERE = 4000 };

/* Below TCP: what goes out is looked at and dropped. */
struct ip_globals ip_data;
static struct netif interface;
const ip_addr_t ip_addr_any = IPADDR4_INIT(0);
struct netif *netif_get_by_index(u8_t index) { return &interface; }
struct netif *ip4_route(const ip4_addr_t *to) { return &interface; }
err_t ip4_output_if(struct pbuf *p, const ip4_addr_t *src, const ip4_addr_t *dest, u8_t ttl, u8_t tos, u8_t proto, struct netif *netif)
{
    struct tcp_hdr *header = p->payload;
    switch (TCPH_FLAGS(header) & (TCP_SYN | TCP_FIN | TCP_RST | TCP_ACK)) {
    case TCP_SYN: _cwolf_event("SYN"); break;
    case TCP_SYN | TCP_ACK: _cwolf_event("SYN+ACK"); break;
    case TCP_FIN: case TCP_FIN | TCP_ACK: _cwolf_event("FIN"); break;
    case TCP_RST: case TCP_RST | TCP_ACK: _cwolf_event("RST"); break;
    case TCP_ACK: _cwolf_event("ACK"); break;
    default: _cwolf_event("other");
    }
    return ERR_OK;
}
u8_t ip4_addr_isbroadcast_u32(u32_t addr, const struct netif *netif) { return 0; }
void tcp_timer_needed(void) { }
u32_t sys_now(void) { return 0; }

/* Memory: connections, listeners and segments from malloc, each with its type; a packet is its header and room for options. */
void *memp_malloc(memp_t type)
{
    if (type == MEMP_TCP_PCB) {
        struct tcp_pcb *pcb = malloc(sizeof *pcb);
        return pcb;
    }
    if (type == MEMP_TCP_PCB_LISTEN) {
        struct tcp_pcb_listen *pcb = malloc(sizeof *pcb);
        return pcb;
    }
    struct tcp_seg *seg = malloc(sizeof *seg);
    return seg;
}
void memp_free(memp_t type, void *memory) { free(memory); }
struct packet {
    struct pbuf buffer;
    struct tcp_hdr header;
    u32_t options[3];
};
struct pbuf *pbuf_alloc(pbuf_layer layer, u16_t length, pbuf_type type)
{
    struct packet *p = malloc(sizeof *p);
    p->buffer.next = 0;
    p->buffer.payload = layer == PBUF_TRANSPORT ? (void *)p->options : (void *)&p->header;
    p->buffer.len = p->buffer.tot_len = length;
    p->buffer.flags = 0;
    p->buffer.ref = 1;
    return &p->buffer;
}
u8_t pbuf_add_header(struct pbuf *p, size_t size)
{
    p->payload = (u8_t *)p->payload - size;
    p->len += size;
    p->tot_len += size;
    return 0;
}
u8_t pbuf_remove_header(struct pbuf *p, size_t size)
{
    p->payload = (u8_t *)p->payload + size;
    p->len -= size;
    p->tot_len -= size;
    return 0;
}
u8_t pbuf_free(struct pbuf *p)
{
    if (!p || --p->ref > 0)
        return 0;
    free(p);
    return 1;
}
void pbuf_ref(struct pbuf *p) { p->ref++; }
u16_t pbuf_clen(const struct pbuf *p) { return 1; }
void pbuf_cat(struct pbuf *head, struct pbuf *tail) { }
void pbuf_realloc(struct pbuf *p, u16_t length) { p->len = p->tot_len = length; }

static struct tcp_pcb *user, *listener; /* what the user has, if anything */

static struct tcp_pcb *connection(void)
{
    return tcp_active_pcbs ? tcp_active_pcbs : tcp_tw_pcbs;
}

static void show_state(void)
{
    struct tcp_pcb *c = connection();
    if (c) {
        switch (c->state) {
        case SYN_SENT: _cwolf_event("state=SYN-SENT"); break;
        case SYN_RCVD: _cwolf_event("state=SYN-RECEIVED"); break;
        case ESTABLISHED: _cwolf_event("state=ESTABLISHED"); break;
        case FIN_WAIT_1: _cwolf_event("state=FIN-WAIT-1"); break;
        case FIN_WAIT_2: _cwolf_event("state=FIN-WAIT-2"); break;
        case CLOSE_WAIT: _cwolf_event("state=CLOSE-WAIT"); break;
        case CLOSING: _cwolf_event("state=CLOSING"); break;
        case LAST_ACK: _cwolf_event("state=LAST-ACK"); break;
        case TIME_WAIT: _cwolf_event("state=TIME-WAIT"); break;
        default: _cwolf_event("state=?"); break;
        }
    } else if (tcp_listen_pcbs.listen_pcbs) {
        _cwolf_event("state=LISTEN");
    } else {
        _cwolf_event("state=CLOSED");
    }
}

/* What the user is told. */
static err_t connected(void *argument, struct tcp_pcb *pcb, err_t error) { return ERR_OK; }
static err_t received(void *argument, struct tcp_pcb *pcb, struct pbuf *p, err_t error) { return ERR_OK; }
static void gone(void *argument, err_t error) { user = 0; }
static err_t accepted(void *argument, struct tcp_pcb *pcb, err_t error)
{
    tcp_recv(pcb, received);
    tcp_err(pcb, gone);
    user = pcb;
    return ERR_OK;
}

static const ip_addr_t here = IPADDR4_INIT(0x0100000a), there = IPADDR4_INIT(0x0200000a);

static void passive_open(void)
{
    struct tcp_pcb *pcb = tcp_new();
    if (!pcb)
        return;
    tcp_bind(pcb, &here, HERE);
    listener = tcp_listen(pcb);
    if (listener)
        tcp_accept(listener, accepted);
}

static void active_open(void)
{
    struct tcp_pcb *pcb = tcp_new();
    if (!pcb)
        return;
    tcp_bind(pcb, &here, HERE);
    tcp_recv(pcb, received);
    tcp_err(pcb, gone);
    tcp_connect(pcb, &there, THERE, connected);
    user = pcb;
}

/* The number of the next segment: what the connection waits for, or one less for a FIN that it has seen. */
static u32_t number(const struct tcp_pcb *c, int flags)
{
    if (!c || c->state == SYN_SENT)
        return 5000;
    return (flags & TCP_FIN) && c->state >= CLOSE_WAIT ? c->rcv_nxt - 1 : c->rcv_nxt;
}

static void segment(int flags, u32_t ack)
{
    struct pbuf *p = pbuf_alloc(PBUF_RAW, TCP_HLEN, PBUF_RAM);
    struct tcp_hdr *header;
    if (!p)
        return;
    header = p->payload;
    header->src = lwip_htons(THERE);
    header->dest = lwip_htons(HERE);
    header->seqno = lwip_htonl(number(connection(), flags));
    header->ackno = lwip_htonl(ack);
    TCPH_HDRLEN_FLAGS_SET(header, 5, flags);
    header->wnd = lwip_htons(1000);
    header->chksum = 0;
    header->urgp = 0;
    ip_data.current_iphdr_src = there;
    ip_data.current_iphdr_dest = here;
    ip_data.current_netif = &interface;
    ip_data.current_input_netif = &interface;
    tcp_input(p, &interface);
}

static void raise_event(void)
{
    struct tcp_pcb *c = connection();
    u32_t last = c ? c->snd_nxt : 1000; /* acknowledges all that was sent */
    switch (__VERIFIER_nondet_int()) {
    case 0: if (!c && !listener) { _cwolf_event("event passive OPEN"); passive_open(); } break;
    case 1: if (!c && !listener) { _cwolf_event("event active OPEN"); active_open(); } break;
    case 2:
        if (user) {
            struct tcp_pcb *pcb = user;
            user = 0;
            _cwolf_event("event CLOSE");
            tcp_close(pcb);
        } else if (listener && !c) {
            struct tcp_pcb *pcb = listener;
            listener = 0;
            _cwolf_event("event CLOSE");
            tcp_close(pcb);
        }
        break;
    case 3: _cwolf_event("event rcv SYN"); segment(TCP_SYN, 0); break;
    case 4: _cwolf_event("event rcv SYN+ACK"); segment(TCP_SYN | TCP_ACK, last); break;
    case 5: _cwolf_event("event rcv ACK"); segment(TCP_ACK, last); break;
    case 6: _cwolf_event("event rcv FIN"); segment(TCP_FIN | TCP_ACK, c ? c->lastack : 1000); break;
    case 7: _cwolf_event("event rcv FIN+ACK"); segment(TCP_FIN | TCP_ACK, last); break;
    case 8: _cwolf_event("event rcv RST"); segment(TCP_RST | TCP_ACK, last); break;
    case 9:
        if (c && c->state == TIME_WAIT) {
            _cwolf_event("event 2MSL");
            tcp_ticks = 2 * TCP_MSL / TCP_SLOW_INTERVAL + 1;
            tcp_slowtmr();
            tcp_ticks = 0;
        }
        break;
    }
}

int main(void)
{
    for (;;) {
        show_state();
        raise_event();
    }
}
