#include <string.h>
int get(void);
void out(void);
static int a;
int main(void) {
    for (;;) {
        int v = get();
        if (v >= 0 && v < 5)
            memcpy(&a, &v, sizeof a);
        out();
    }
}
