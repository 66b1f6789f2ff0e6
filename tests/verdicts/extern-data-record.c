// EXPECT: false(division-by-zero)
// TWIN: true
// A structure that no file defines starts with any contents, and keeps what is written.
#include <assert.h>
extern struct window { int rows, columns; char title[8]; struct window *next; } screen, *standard;
int main(void) {
#ifdef TWIN
    if (!screen.columns)
        screen.columns = 80;
#endif
    int ratio = 1000 / screen.columns;
    screen.rows = ratio;
    assert(screen.rows == ratio);
    if (standard)
        standard->rows = 3;
    return 0;
}
