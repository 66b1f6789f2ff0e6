#include <stdio.h>
int tentative;
static int hidden = 10;
__attribute__((weak)) int choose(void) { return 1; }
extern int table[];
int other(void);
int main(void) {
  tentative = 5;
  printf("%d %d %d %d %d\n", tentative, hidden, choose(), table[2], other());
  return 0;
}
