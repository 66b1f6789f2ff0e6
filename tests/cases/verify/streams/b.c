#include <stdio.h>
void twice(FILE *f) {
    if (f) {
        fclose(f);
        fclose(f);
    }
}
