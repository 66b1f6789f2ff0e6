#include <stdio.h>
#include <limits.h>
struct s { char c; long long l; int b : 5; unsigned u : 30; };
int main(void) {
  printf("%zu %zu %ld\n", sizeof(long), sizeof(struct s), LONG_MAX);
  int x = -1; unsigned long y = x; printf("%lu %d\n", y, (int)(y >> 31));
  void *p = &x; printf("%d\n", sizeof p == 4 && *(int *)(unsigned long)p == -1);
  return 0;
}
