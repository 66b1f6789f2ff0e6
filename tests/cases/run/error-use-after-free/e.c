#include <stdlib.h>
static int *make(void) {
  int *p = malloc(sizeof *p);
  *p = 3;
  return p;
}
static void drop(int *p) { free(p); }
int main(void) {
  int *p = make();
  drop(p);
  return *p;
}
