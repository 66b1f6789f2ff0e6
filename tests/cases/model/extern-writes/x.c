#include <stdio.h>
void init(void); void keep(int *); void work(void); void own(void); void kept(void); void library(void);
int mode; static int hidden, given, quiet; const int limit = 3; int *to = &hidden;
int main(void) {
    mode = 0;
    puts("no code of the program's own");
    if (mode) library();
    init();
    if (mode) work();
    if (quiet || limit != 3) own();
    keep(&given);
    given = 0;
    init();
    if (given) kept();
}
