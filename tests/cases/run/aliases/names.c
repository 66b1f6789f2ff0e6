#include <stdio.h>
extern int init_module(void);
static int start(void) { return 3; }
int init_module(void) __attribute__((alias("start")));
int weak_one(void) __attribute__((weak, alias("start")));
static int local(void) __attribute__((weakref("start")));
static void *keep __attribute__((used)) = (void *)&init_module;

extern const void begin, end;
static long size(void) { return (const char *)&end - (const char *)&begin; }

int main(void) {
  printf("%d %d %d\n", init_module(), weak_one(), local());
  return &begin == &end ? (int)size() : 0;
}
