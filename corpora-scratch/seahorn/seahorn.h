
#ifndef SEAHORN_H
#define SEAHORN_H
#include <stdbool.h>
#include <stdint.h>
extern void __VERIFIER_error(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int);
#define assume(e) __VERIFIER_assume(e)
#define sassert(e) ((e) ? (void)0 : __VERIFIER_error())
#endif
