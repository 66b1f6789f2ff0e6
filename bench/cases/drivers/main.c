/* One call of the kernel into a driver: DRIVER is its source, ENTRY the call. */
#include DRIVER
#ifdef ATTRIBUTES
#include <linux/input.h>
#endif

#ifdef ATTRIBUTES
static struct device device;
#ifdef HOLDER
/* The driver finds its own data around the attribute. */
static HOLDER holder;
#define attribute holder.dev_attr
#else
static struct device_attribute attribute;
#endif
static struct platform_device platform;
static struct input_dev input;
static pm_message_t message;
#else
static struct inode inode;
static struct file file;
static poll_table table;
#endif
static char page[4096];
static unsigned long number, count;
extern unsigned long anything(void);
#ifdef CONTROLLER
#include "controller.h"
#endif

int main(void) {
    number = anything();
    count = anything();
#ifdef HOLDER
    holder.bat = anything();
#endif
    ENTRY;
#ifdef CONTROLLER
    if (held) __VERIFIER_error();
#endif
    return 0;
}
