#include <stdio.h>
int main(void) {
  char line[80];
  int n = 0, sum = 0, v;
  while (n < 2 && fgets(line, sizeof line, stdin)) printf("%d:%s", ++n, line);
  while (scanf("%d", &v) == 1) sum += v;
  fprintf(stderr, "sum %d\n", sum);
  return sum == 60 ? 0 : 1;
}
