#include <assert.h>
struct { char name[4]; int mode; } settings;
int *find(void);
int main(void) {
    int *p = find();
    settings.mode = 0;
    if (p == &settings.mode)
        *p = 3;
    assert(settings.mode == 0);
}
