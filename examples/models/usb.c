/* A device on a bus, by its states in chapter 9 of the USB specification: a table of operations for each state, and a class driver
 * that is attached when the device is configured.
 * Data flows only while the device is configured:
 * property: G ({deconfigured} -> ((not {data}) W {configured})) */
#include <stddef.h>

void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

enum request { SET_ADDRESS, SET_CONFIGURATION, TRANSFER };

struct device;

struct ops {
    void (*reset)(struct device *);
    int (*setup)(struct device *, enum request, unsigned value);
    void (*suspend)(struct device *);
};

struct class_driver {
    void (*attach)(struct device *);
    void (*detach)(struct device *);
    void (*transfer)(struct device *);
};

struct device {
    const struct ops *ops;
    const struct ops *resume_to;
    const struct class_driver *driver;
    unsigned address;
    unsigned char configuration;
    int stalled;
};

static const struct ops powered, by_default, addressed, configured, suspended;

static void detach(struct device *d)
{
    if (d->driver) {
        d->driver->detach(d);
        d->driver = NULL;
    }
    d->configuration = 0;
}

static void reset(struct device *d)
{
    detach(d);
    d->address = 0;
    d->stalled = 0;
    d->ops = &by_default;
}

static void sleep_now(struct device *d)
{
    d->resume_to = d->ops;
    d->ops = &suspended;
    _cwolf_event("suspended");
}

static void ignore(struct device *d) { (void)d; }
static int refuse(struct device *d, enum request r, unsigned v) { (void)d; (void)r; (void)v; return -1; }

static void storage_attach(struct device *d) { (void)d; _cwolf_event("configured"); }
static void storage_detach(struct device *d) { (void)d; _cwolf_event("deconfigured"); }
static void storage_transfer(struct device *d) { (void)d; _cwolf_event("data"); }
static const struct class_driver storage = { storage_attach, storage_detach, storage_transfer };

static int default_setup(struct device *d, enum request r, unsigned value)
{
    if (r != SET_ADDRESS || value == 0)
        return -1;
    d->address = value;
    d->ops = &addressed;
    return 0;
}

static int addressed_setup(struct device *d, enum request r, unsigned value)
{
    if (r == SET_ADDRESS) {
        d->address = value;
        if (!value)
            d->ops = &by_default;
        return 0;
    }
    if (r == SET_CONFIGURATION && value == 1) {
        d->configuration = 1;
        d->driver = &storage;
        d->driver->attach(d);
        d->ops = &configured;
        return 0;
    }
    return -1;
}

static int configured_setup(struct device *d, enum request r, unsigned value)
{
    switch (r) {
    case SET_CONFIGURATION:
        if (value == 0) {
            detach(d);
            d->ops = &addressed;
        }
        return value > 1 ? -1 : 0;
    case TRANSFER:
        d->driver->transfer(d);
        return 0;
    default:
        return -1;
    }
}

static const struct ops powered = { reset, refuse, ignore };
static const struct ops by_default = { reset, default_setup, sleep_now };
static const struct ops addressed = { reset, addressed_setup, sleep_now };
static const struct ops configured = { reset, configured_setup, sleep_now };
static const struct ops suspended = { reset, refuse, ignore };

int main(void)
{
    static struct device d = { .ops = &powered };
    for (;;) {
        switch (__VERIFIER_nondet_int()) {
        case 0:
            d.ops->reset(&d);
            break;
        case 1:
            d.ops->suspend(&d);
            break;
        case 2:
            if (d.ops == &suspended) {
                d.ops = d.resume_to;
                _cwolf_event("resumed");
            }
            break;
        default:
            if (d.ops->setup(&d, (enum request)(__VERIFIER_nondet_int() & 3), (unsigned)__VERIFIER_nondet_int()) && !d.stalled) {
                d.stalled = 1;
                _cwolf_event("stall");
            } else {
                d.stalled = 0;
            }
        }
    }
}
