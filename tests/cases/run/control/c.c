#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf env;
static void deep(int n) { if (n == 0) longjmp(env, 42); deep(n - 1); }
static int add(int count, ...) {
  va_list ap;
  int sum = 0;
  va_start(ap, count);
  while (count--) sum += va_arg(ap, int);
  va_end(ap);
  return sum;
}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void bye(void) { puts("bye"); }
int main(void) {
  int values[] = {5, 3, 9, 1};
  static void *table[] = {&&one, &&two};
  int code = setjmp(env);
  if (code == 0) deep(5);
  printf("longjmp %d\n", code);
  printf("sum %d\n", add(3, 1, 2, 3));
  qsort(values, 4, sizeof values[0], compare);
  for (int i = 0; i < 4; i++) printf("%d ", values[i]);
  puts("");
  atexit(bye);
  goto *table[code == 42];
one:
  puts("one");
two:
  puts("two");
  switch (code) {
  case 0 ... 9: puts("small"); break;
  case 40 ... 49: puts("forties");
  default: puts("fell");
  }
  return 0;
}
