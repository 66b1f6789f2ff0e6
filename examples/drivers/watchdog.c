/* A watchdog timer: programs arm, feed and disarm it; a list of clients is kept under a lock, and
   a request to wait for the alarm stays pending. With -DBROKEN a cancelled wait is completed by
   the cancel routine and again by the dispatch routine. */

enum { SUCCESS = 0, PENDING = 259, FAILURE = -1, INVALID = -2, CANCELLED = -3, BUSY = -4 };
enum { ARM = 1, FEED, DISARM, WAIT, STATUS, POWER = 22 };
enum { CLIENTS = 4, SHORTEST = 10, LONGEST = 60000 };

int __VERIFIER_nondet_int(void);

struct spinlock {
    int owner;
};

struct request {
    int kind;
    int client;
    int interval;
    int status;
    int done;
    int cancelled;
};

struct client {
    int used;
    int interval;
    int left;
    int waiting;
};

struct watchdog {
    struct spinlock lock;
    struct client clients[CLIENTS];
    int armed;
    int fired;
    int waits;
};

static struct watchdog watchdog;

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

static struct client *find(struct watchdog *w, int number)
{
    if (number < 0 || number >= CLIENTS)
        return 0;
    return &w->clients[number];
}

static int arm(struct watchdog *w, struct request *request)
{
    int status = SUCCESS;
    struct client *client = find(w, request->client);
    if (!client) {
        complete_request(request, INVALID);
        return INVALID;
    }
    acquire_lock(&w->lock);
    if (client->used) {
        status = BUSY;
    } else if (request->interval < SHORTEST || request->interval > LONGEST) {
        status = INVALID;
    } else {
        client->used = 1;
        client->interval = request->interval;
        client->left = request->interval;
        client->waiting = 0;
        w->armed++;
    }
    release_lock(&w->lock);
    complete_request(request, status);
    return status;
}

static int feed(struct watchdog *w, struct request *request)
{
    struct client *client = find(w, request->client);
    int status = INVALID;
    acquire_lock(&w->lock);
    if (client && client->used) {
        client->left = client->interval;
        status = SUCCESS;
    }
    release_lock(&w->lock);
    complete_request(request, status);
    return status;
}

static int disarm(struct watchdog *w, struct request *request)
{
    struct client *client = find(w, request->client);
    acquire_lock(&w->lock);
    if (!client || !client->used) {
        release_lock(&w->lock);
        complete_request(request, INVALID);
        return INVALID;
    }
    client->used = 0;
    if (w->armed > 0)
        w->armed--;
    release_lock(&w->lock);
    complete_request(request, SUCCESS);
    return SUCCESS;
}

static void cancel(struct watchdog *w, struct request *request)
{
    acquire_lock(&w->lock);
    if (w->waits > 0)
        w->waits--;
    release_lock(&w->lock);
    complete_request(request, CANCELLED);
}

static int wait_alarm(struct watchdog *w, struct request *request)
{
    struct client *client = find(w, request->client);
    acquire_lock(&w->lock);
    if (!client || !client->used || client->waiting) {
        release_lock(&w->lock);
        complete_request(request, INVALID);
        return INVALID;
    }
    if (w->fired) {
        w->fired = 0;
        release_lock(&w->lock);
        complete_request(request, SUCCESS);
        return SUCCESS;
    }
    if (request->cancelled) {
        release_lock(&w->lock);
        cancel(w, request);
#ifdef BROKEN
        complete_request(request, CANCELLED);
#endif
        return CANCELLED;
    }
    client->waiting = 1;
    w->waits++;
    mark_pending(request);
    release_lock(&w->lock);
    return PENDING;
}

static void tick(struct watchdog *w, int elapsed)
{
    int n;
    acquire_lock(&w->lock);
    for (n = 0; n < CLIENTS; n++) {
        struct client *client = &w->clients[n];
        if (!client->used)
            continue;
        if (client->left <= elapsed) {
            w->fired = 1;
            client->left = client->interval;
        } else {
            client->left -= elapsed;
        }
    }
    release_lock(&w->lock);
}

int dispatch(struct watchdog *w, struct request *request)
{
    int status;
    switch (request->kind) {
    case ARM:
        return arm(w, request);
    case FEED:
        return feed(w, request);
    case DISARM:
        return disarm(w, request);
    case WAIT:
        return wait_alarm(w, request);
    case STATUS:
        acquire_lock(&w->lock);
        status = w->armed > 0 ? SUCCESS : FAILURE;
        release_lock(&w->lock);
        complete_request(request, status);
        return status;
    case POWER:
        wait_for_device();
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
    for (rounds = 0; rounds < 3; rounds++) {
        request.kind = __VERIFIER_nondet_int();
        request.client = __VERIFIER_nondet_int();
        request.interval = __VERIFIER_nondet_int();
        request.cancelled = __VERIFIER_nondet_int() != 0;
        request.done = 0;
        dispatch(&watchdog, &request);
        if (__VERIFIER_nondet_int())
            tick(&watchdog, 5);
    }
    return 0;
}
