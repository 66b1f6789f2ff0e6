struct cell { int val; struct cell *next; };
int g;
volatile int device;
int f(struct cell *p, int v) {
L:  return p->val + v + g + device;
}
