extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int);

static int locked;
static unsigned taken;

static void lock(void) {
  __VERIFIER_assert(!locked);
  locked = 1;
}

static void unlock(void) {
  __VERIFIER_assert(locked);
  locked = 0;
}

int main(void) {
  int rounds = __VERIFIER_nondet_int();
  while (rounds > 0) {
    lock();
    taken++;
    if (__VERIFIER_nondet_int())
      rounds--;
    unlock();
  }
  lock();
  return 0;
}
