/* A disk with removable media: a request is checked, then started by a state machine that spins
   the motor up, seeks and transfers. With -DBROKEN a request for a changed medium is completed
   and then passed to the driver below as well. */

enum { SUCCESS = 0, PENDING = 259, FAILURE = -1, INVALID = -2, CANCELLED = -3, BUSY = -4 };
enum { READ = 3, WRITE = 4, CONTROL = 14, POWER = 22, DETECT = 27 };
enum { SECTORS = 18 };
#ifndef TRACKS
#define TRACKS 80
#endif

int __VERIFIER_nondet_int(void);

struct spinlock {
    int owner;
};

struct request {
    int kind;
    int sector;
    int count;
    int status;
    int done;
};

enum motor { STOPPED, STARTING, RUNNING };

struct drive {
    struct spinlock lock;
    enum motor motor;
    int track;
    int medium_present;
    int medium_changed;
    int write_protected;
    int busy;
    int errors;
    int powered;
};

static struct drive drive;

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

static int start_motor(struct drive *d)
{
    int tries;
    for (tries = 0; tries < 3; tries++) {
        acquire_lock(&d->lock);
        if (d->motor == RUNNING) {
            release_lock(&d->lock);
            return 1;
        }
        if (d->motor == STOPPED)
            d->motor = STARTING;
        else if (__VERIFIER_nondet_int())
            d->motor = RUNNING;
        release_lock(&d->lock);
        wait_for_device();
    }
    return 0;
}

static int seek(struct drive *d, int track)
{
    int steps = 0;
    if (track < 0 || track >= TRACKS)
        return 0;
    while (d->track != track && steps < TRACKS) {
        if (d->track < track)
            d->track++;
        else
            d->track--;
        steps++;
    }
    return d->track == track;
}

static int transfer(struct drive *d, struct request *request)
{
    int attempt = 0;
    int result = FAILURE;
    while (attempt < 3 && result != SUCCESS) {
        if (__VERIFIER_nondet_int()) {
            result = SUCCESS;
        } else {
            d->errors++;
            attempt++;
        }
    }
    if (result == SUCCESS)
        request->count = 0;
    return result;
}

static int check_medium(struct drive *d, struct request *request)
{
    if (!d->medium_present)
        return FAILURE;
    if (d->medium_changed)
        return CANCELLED;
    if (request->kind == WRITE && d->write_protected)
        return INVALID;
    if (request->sector < 0 || request->sector >= SECTORS * TRACKS)
        return INVALID;
    return SUCCESS;
}

static int read_write(struct drive *d, struct request *request)
{
    int status = check_medium(d, request);
    if (status == CANCELLED) {
        acquire_lock(&d->lock);
        d->medium_changed = 0;
        release_lock(&d->lock);
        complete_request(request, CANCELLED);
#ifdef BROKEN
        pass_request(request);
#endif
        return CANCELLED;
    }
    if (status != SUCCESS) {
        complete_request(request, status);
        return status;
    }
    acquire_lock(&d->lock);
    if (d->busy) {
        mark_pending(request);
        release_lock(&d->lock);
        return PENDING;
    }
    d->busy = 1;
    release_lock(&d->lock);
    if (!start_motor(d))
        status = FAILURE;
    else if (!seek(d, request->sector / SECTORS))
        status = INVALID;
    else
        status = transfer(d, request);
    acquire_lock(&d->lock);
    d->busy = 0;
    release_lock(&d->lock);
    complete_request(request, status);
    return status;
}

static int power(struct drive *d, struct request *request)
{
    acquire_lock(&d->lock);
    d->powered = request->count;
    if (!d->powered)
        d->motor = STOPPED;
    release_lock(&d->lock);
    pass_request(request);
    return SUCCESS;
}

int dispatch(struct drive *d, struct request *request)
{
    int status;
    switch (request->kind) {
    case READ:
    case WRITE:
        status = read_write(d, request);
        break;
    case CONTROL:
        if (request->count < 0) {
            status = INVALID;
            complete_request(request, status);
        } else {
            pass_request(request);
            status = SUCCESS;
        }
        break;
    case DETECT:
        acquire_lock(&d->lock);
        d->medium_present = __VERIFIER_nondet_int() != 0;
        d->medium_changed = 1;
        release_lock(&d->lock);
        status = SUCCESS;
        complete_request(request, status);
        break;
    case POWER:
        status = power(d, request);
        break;
    default:
        status = INVALID;
        complete_request(request, status);
    }
    return status;
}

int main(void)
{
    struct request request;
    drive.medium_present = 1;
    drive.medium_changed = __VERIFIER_nondet_int() != 0;
    drive.busy = __VERIFIER_nondet_int() != 0;
    request.kind = __VERIFIER_nondet_int();
    request.sector = __VERIFIER_nondet_int();
    request.count = __VERIFIER_nondet_int();
    request.done = 0;
    return dispatch(&drive, &request) == FAILURE;
}
