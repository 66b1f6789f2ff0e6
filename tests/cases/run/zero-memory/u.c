#include <stdlib.h>
int main(void) {
  int x, *p = malloc(sizeof *p);
  if (x || *p) return 1;
  free(p);
  return 0;
}
