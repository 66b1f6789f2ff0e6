/* A network card with two rings of descriptors: frames go out under a lock, finished ones are
   reclaimed, received ones are handed up. With -DBROKEN a frame that is too long leads to a wait
   for room with the lock held. */

enum { SUCCESS = 0, PENDING = 259, FAILURE = -1, INVALID = -2, CANCELLED = -3, BUSY = -4 };
enum { SEND = 4, CONTROL = 14, RESET = 20, POWER = 22 };
enum { GET_ADDRESS = 1, SET_FILTER, GET_STATISTICS };
enum { RING = 4, FRAME = 1514, SMALLEST = 60 };

int __VERIFIER_nondet_int(void);

struct spinlock {
    int owner;
};

struct request {
    int kind;
    int code;
    int length;
    int status;
    int done;
};

enum owner { DRIVER, CARD };

struct descriptor {
    enum owner owner;
    int length;
    int error;
};

struct card {
    struct spinlock lock;
    int up;
    int filter;
    int next_send, next_done, sending;
    int next_receive;
    int sent, received, dropped;
    struct descriptor out[RING];
    struct descriptor in[RING];
};

static struct card card;

void acquire_lock(struct spinlock *lock)
{
    lock->owner = 1;
}

void release_lock(struct spinlock *lock)
{
    lock->owner = 0;
}

void wait_for_device(void)
{
}

void complete_request(struct request *request, int status)
{
    request->status = status;
    request->done = 1;
}

void pass_request(struct request *request)
{
    request->status = SUCCESS;
}

void mark_pending(struct request *request)
{
    request->status = PENDING;
}

static int after(int n)
{
    return n + 1 == RING ? 0 : n + 1;
}

static void reclaim(struct card *c)
{
    int n;
    for (n = 0; n < RING; n++) {
        struct descriptor *d = &c->out[c->next_done];
        if (c->sending == 0 || d->owner == CARD)
            break;
        if (d->error)
            c->dropped++;
        else
            c->sent++;
        c->next_done = after(c->next_done);
        c->sending--;
    }
}

static int queue_frame(struct card *c, int length)
{
    struct descriptor *d = &c->out[c->next_send];
    if (c->sending >= RING)
        return 0;
    d->length = length < SMALLEST ? SMALLEST : length;
    d->error = 0;
    d->owner = CARD;
    c->next_send = after(c->next_send);
    c->sending++;
    return 1;
}

static int send(struct card *c, struct request *request)
{
    int queued;
    if (request->length <= 0) {
        complete_request(request, INVALID);
        return INVALID;
    }
    acquire_lock(&c->lock);
    if (!c->up) {
        release_lock(&c->lock);
        complete_request(request, FAILURE);
        return FAILURE;
    }
    if (request->length > FRAME) {
#ifdef BROKEN
        wait_for_device();
#endif
        release_lock(&c->lock);
        complete_request(request, INVALID);
        return INVALID;
    }
    reclaim(c);
    queued = queue_frame(c, request->length);
    if (!queued) {
        mark_pending(request);
        release_lock(&c->lock);
        return PENDING;
    }
    release_lock(&c->lock);
    complete_request(request, SUCCESS);
    return SUCCESS;
}

static void receive(struct card *c)
{
    int n;
    acquire_lock(&c->lock);
    for (n = 0; n < RING; n++) {
        struct descriptor *d = &c->in[c->next_receive];
        if (d->owner == CARD)
            break;
        if (d->error || d->length < SMALLEST || d->length > FRAME)
            c->dropped++;
        else
            c->received++;
        d->owner = CARD;
        c->next_receive = after(c->next_receive);
    }
    release_lock(&c->lock);
}

static int reset(struct card *c, struct request *request)
{
    int n;
    acquire_lock(&c->lock);
    for (n = 0; n < RING; n++) {
        c->out[n].owner = DRIVER;
        c->in[n].owner = CARD;
    }
    c->next_send = c->next_done = c->next_receive = 0;
    c->sending = 0;
    release_lock(&c->lock);
    wait_for_device();
    acquire_lock(&c->lock);
    c->up = 1;
    release_lock(&c->lock);
    complete_request(request, SUCCESS);
    return SUCCESS;
}

static int control(struct card *c, struct request *request)
{
    int status = SUCCESS;
    switch (request->code) {
    case GET_ADDRESS:
        request->length = 6;
        break;
    case SET_FILTER:
        acquire_lock(&c->lock);
        c->filter = request->length;
        release_lock(&c->lock);
        break;
    case GET_STATISTICS:
        acquire_lock(&c->lock);
        request->length = c->sent + c->received - c->dropped;
        release_lock(&c->lock);
        break;
    default:
        status = INVALID;
    }
    complete_request(request, status);
    return status;
}

int dispatch(struct card *c, struct request *request)
{
    switch (request->kind) {
    case SEND:
        return send(c, request);
    case CONTROL:
        return control(c, request);
    case RESET:
        return reset(c, request);
    case POWER:
        acquire_lock(&c->lock);
        c->up = 0;
        release_lock(&c->lock);
        pass_request(request);
        return SUCCESS;
    default:
        complete_request(request, INVALID);
        return INVALID;
    }
}

int main(void)
{
    struct request request;
    int rounds;
    card.up = __VERIFIER_nondet_int() != 0;
    for (rounds = 0; rounds < 2; rounds++) {
        request.kind = __VERIFIER_nondet_int();
        request.code = __VERIFIER_nondet_int();
        request.length = __VERIFIER_nondet_int();
        request.done = 0;
        dispatch(&card, &request);
        if (__VERIFIER_nondet_int())
            receive(&card);
    }
    return 0;
}
