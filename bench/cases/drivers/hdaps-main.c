/* One call of the kernel into hdaps.c; ENTRY is the call. */
#include <hdaps.c>

static struct device device;
static struct device_attribute attribute;
static struct platform_device platform;
static struct input_dev input;
static char page[4096];
static size_t count;

int main(void) {
    ENTRY;
    return 0;
}
