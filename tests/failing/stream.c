// verify:
#include <assert.h>
#include <stdio.h>
// What the run opens is a stream, also for functions that the harness leaves to the library.
int main(void) {
    FILE *f = fopen("settings", "r");
    if (!f)
        return 0;
    setvbuf(f, 0, _IONBF, 0);
    assert(fgetc(f) != 'y');
    return fileno(f) < 0;
}
