/* A keyboard filter: requests pass through to the driver below, except for the few that the
   filter serves itself; scan codes are translated in the interrupt. With -DBROKEN a request to
   start the device returns PENDING when the driver below is slow, without marking it. */

enum { SUCCESS = 0, PENDING = 259, FAILURE = -1, INVALID = -2, CANCELLED = -3, BUSY = -4 };
enum { CREATE = 0, CLOSE = 2, READ = 3, INTERNAL = 15, POWER = 22, PLUG = 27 };
enum { START_DEVICE = 0, REMOVE_DEVICE = 2, STOP_DEVICE = 4, SURPRISE = 23 };
enum { CONNECT = 1, DISCONNECT, HOOK, QUERY };
enum { SHIFT = 1, CONTROL_KEY = 2, ALT = 4 };
enum { KEYS = 16 };

int __VERIFIER_nondet_int(void);

struct spinlock {
    int owner;
};

struct request {
    int kind;
    int minor;
    int code;
    int length;
    int status;
    int done;
};

struct filter {
    struct spinlock lock;
    int started;
    int removed;
    int connected;
    int hooked;
    int handles;
    int modifiers;
    int keys[KEYS];
    int used;
};

static struct filter filter;

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

static int pass_and_wait(struct request *request)
{
    pass_request(request);
    if (__VERIFIER_nondet_int())
        wait_for_device();
    return request->status;
}

static void interrupt(struct filter *f, int scan)
{
    int released = scan & 0x80;
    int key = scan & 0x7f;
    int bit = 0;
    acquire_lock(&f->lock);
    switch (key) {
    case 0x2a:
    case 0x36:
        bit = SHIFT;
        break;
    case 0x1d:
        bit = CONTROL_KEY;
        break;
    case 0x38:
        bit = ALT;
        break;
    default:
        break;
    }
    if (bit) {
        if (released)
            f->modifiers &= ~bit;
        else
            f->modifiers |= bit;
    } else if (!released && f->used < KEYS) {
        f->keys[f->used] = key | (f->modifiers << 8);
        f->used++;
    }
    release_lock(&f->lock);
}

static int create(struct filter *f, struct request *request)
{
    acquire_lock(&f->lock);
    if (f->removed || !f->connected) {
        release_lock(&f->lock);
        complete_request(request, INVALID);
        return INVALID;
    }
    f->handles++;
    release_lock(&f->lock);
    pass_request(request);
    return SUCCESS;
}

static int close_filter(struct filter *f, struct request *request)
{
    acquire_lock(&f->lock);
    if (f->handles > 0)
        f->handles--;
    release_lock(&f->lock);
    pass_request(request);
    return SUCCESS;
}

static int internal(struct filter *f, struct request *request)
{
    int status;
    switch (request->code) {
    case CONNECT:
        acquire_lock(&f->lock);
        if (f->connected) {
            status = BUSY;
        } else if (request->length < 8) {
            status = INVALID;
        } else {
            f->connected = 1;
            status = SUCCESS;
        }
        release_lock(&f->lock);
        break;
    case DISCONNECT:
        status = INVALID;
        break;
    case HOOK:
        f->hooked = 1;
        status = SUCCESS;
        break;
    case QUERY:
        pass_request(request);
        return SUCCESS;
    default:
        status = INVALID;
    }
    if (status == SUCCESS) {
        pass_request(request);
        return SUCCESS;
    }
    complete_request(request, status);
    return status;
}

static int start_device(struct filter *f, struct request *request)
{
    int status = pass_and_wait(request);
#ifdef BROKEN
    if (__VERIFIER_nondet_int())
        return PENDING;
#endif
    acquire_lock(&f->lock);
    if (status == SUCCESS) {
        f->started = 1;
        f->removed = 0;
    }
    release_lock(&f->lock);
    return status;
}

static int plug(struct filter *f, struct request *request)
{
    switch (request->minor) {
    case START_DEVICE:
        return start_device(f, request);
    case SURPRISE:
    case REMOVE_DEVICE:
        acquire_lock(&f->lock);
        f->removed = 1;
        f->started = 0;
        release_lock(&f->lock);
        pass_request(request);
        return SUCCESS;
    case STOP_DEVICE:
        acquire_lock(&f->lock);
        f->started = 0;
        release_lock(&f->lock);
        pass_request(request);
        return SUCCESS;
    default:
        pass_request(request);
        return SUCCESS;
    }
}

int dispatch(struct filter *f, struct request *request)
{
    switch (request->kind) {
    case CREATE:
        return create(f, request);
    case CLOSE:
        return close_filter(f, request);
    case INTERNAL:
        return internal(f, request);
    case PLUG:
        return plug(f, request);
    case READ:
        if (!f->started) {
            complete_request(request, CANCELLED);
            return CANCELLED;
        }
        pass_request(request);
        return SUCCESS;
    default:
        pass_request(request);
        return SUCCESS;
    }
}

int main(void)
{
    struct request request;
    filter.connected = __VERIFIER_nondet_int() != 0;
    request.kind = __VERIFIER_nondet_int();
    request.minor = __VERIFIER_nondet_int();
    request.code = __VERIFIER_nondet_int();
    request.length = __VERIFIER_nondet_int();
    request.done = 0;
    if (__VERIFIER_nondet_int())
        interrupt(&filter, __VERIFIER_nondet_int());
    dispatch(&filter, &request);
    return 0;
}
