/* A serial port: reads and writes are queued or served at once from a ring buffer, and a lock
   protects the queue. With -DBROKEN a write that finds the line down returns with the lock. */

enum { SUCCESS = 0, PENDING = 259, FAILURE = -1, INVALID = -2, CANCELLED = -3, BUSY = -4 };
enum { OPEN = 0, CLOSE = 2, READ = 3, WRITE = 4, FLUSH = 9, CONTROL = 14, POWER = 22 };
enum { GET_BAUD = 1, SET_BAUD, GET_LINE, SET_LINE, PURGE };
enum { RING = 8, SLOTS = 4 };

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
    int slot;
};

struct port {
    struct spinlock lock;
    int opened;
    int baud;
    int data_bits;
    int line_up;
    int head, tail;
    unsigned char ring[RING];
    struct request *waiting[SLOTS];
    int queued;
};

static struct port port;

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

static int ring_count(struct port *p)
{
    int count = p->head - p->tail;
    return count < 0 ? count + RING : count;
}

static int ring_put(struct port *p, unsigned char c)
{
    int next = p->head + 1;
    if (next == RING)
        next = 0;
    if (next == p->tail)
        return 0;
    p->ring[p->head] = c;
    p->head = next;
    return 1;
}

static int ring_get(struct port *p)
{
    int c;
    if (p->head == p->tail)
        return -1;
    c = p->ring[p->tail];
    p->tail++;
    if (p->tail == RING)
        p->tail = 0;
    return c;
}

static int enqueue(struct port *p, struct request *request)
{
    if (p->queued >= SLOTS)
        return 0;
    p->waiting[p->queued] = request;
    request->slot = p->queued;
    p->queued++;
    return 1;
}

static int open_port(struct port *p, struct request *request)
{
    int status;
    acquire_lock(&p->lock);
    if (p->opened) {
        status = BUSY;
    } else {
        p->opened = 1;
        p->head = p->tail = 0;
        status = SUCCESS;
    }
    release_lock(&p->lock);
    complete_request(request, status);
    return status;
}

static int close_port(struct port *p, struct request *request)
{
    acquire_lock(&p->lock);
    p->opened = 0;
    release_lock(&p->lock);
    wait_for_device();
    complete_request(request, SUCCESS);
    return SUCCESS;
}

static int read_port(struct port *p, struct request *request)
{
    int c;
    acquire_lock(&p->lock);
    if (!p->opened) {
        release_lock(&p->lock);
        complete_request(request, INVALID);
        return INVALID;
    }
    c = ring_get(p);
    if (c >= 0) {
        release_lock(&p->lock);
        request->length = 1;
        complete_request(request, SUCCESS);
        return SUCCESS;
    }
    if (!enqueue(p, request)) {
        release_lock(&p->lock);
        complete_request(request, BUSY);
        return BUSY;
    }
    mark_pending(request);
    release_lock(&p->lock);
    return PENDING;
}

static int write_port(struct port *p, struct request *request)
{
    int written = 0;
    acquire_lock(&p->lock);
    if (!p->line_up) {
#ifndef BROKEN
        release_lock(&p->lock);
#endif
        complete_request(request, FAILURE);
        return FAILURE;
    }
    while (written < request->length) {
        if (!ring_put(p, (unsigned char)written))
            break;
        written++;
    }
    release_lock(&p->lock);
    request->length = written;
    complete_request(request, SUCCESS);
    return SUCCESS;
}

static int control_port(struct port *p, struct request *request)
{
    int status = SUCCESS;
    acquire_lock(&p->lock);
    switch (request->code) {
    case GET_BAUD:
        request->length = p->baud;
        break;
    case SET_BAUD:
        if (request->length <= 0)
            status = INVALID;
        else
            p->baud = request->length;
        break;
    case GET_LINE:
        request->length = p->data_bits;
        break;
    case SET_LINE:
        if (request->length < 5 || request->length > 8)
            status = INVALID;
        else
            p->data_bits = request->length;
        break;
    case PURGE:
        p->head = p->tail = 0;
        break;
    default:
        status = INVALID;
    }
    release_lock(&p->lock);
    complete_request(request, status);
    return status;
}

int dispatch(struct port *p, struct request *request)
{
    switch (request->kind) {
    case OPEN:
        return open_port(p, request);
    case CLOSE:
        return close_port(p, request);
    case READ:
        return read_port(p, request);
    case WRITE:
        return write_port(p, request);
    case FLUSH:
        wait_for_device();
        complete_request(request, SUCCESS);
        return SUCCESS;
    case CONTROL:
        return control_port(p, request);
    case POWER:
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
    port.line_up = __VERIFIER_nondet_int();
    request.kind = __VERIFIER_nondet_int();
    request.code = __VERIFIER_nondet_int();
    request.length = __VERIFIER_nondet_int();
    if (request.length > 4)
        request.length = 4;
    request.done = 0;
    dispatch(&port, &request);
    if (request.kind != OPEN) {
        request.kind = __VERIFIER_nondet_int();
        request.done = 0;
        dispatch(&port, &request);
    }
    return ring_count(&port) > RING;
}
