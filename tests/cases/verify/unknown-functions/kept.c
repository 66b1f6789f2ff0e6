#include <assert.h>
static unsigned mode;
void reg(unsigned *);
void poke(void);
int main(void) {
    reg(&mode);
    mode = 0;
    poke();
    assert(mode * 7u + 3 != 912345678u);
}
