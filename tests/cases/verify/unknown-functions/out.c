#include <assert.h>
int get(unsigned *to, int size);
int main(void) {
    unsigned x[2] = {1, 2};
    if (get(x, 2) == 17)
        assert(x[1] * 7u + 3 != 912345678u);
}
