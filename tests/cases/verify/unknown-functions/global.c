#include <assert.h>
unsigned mode;
int *ready;
void init(void);
int main(void) {
    mode = 0;
    init();
    assert(mode * 7u + 3 != 912345678u);
}
