// EXPECT: true
// TWIN: false or unknown
// FLAGS: --prop G ! call(reach_error())
// Code outside that is called through a pointer changes what it is given, directly or not, and nothing else.
extern void reach_error(void);
struct box { int *in; };
struct ops { int (*run)(struct box *); };
extern struct ops *get(void);
static int own, given;
static struct box box = {&given};
int main(void) {
    struct ops *ops = get();
    if (!ops || !ops->run) return 0;
    own = given = 1;
    int known = ops->run(&box);
#ifndef TWIN
    if (own != 1 || (known > 3 && known < 3)) reach_error();
#else
    if (given != 1) reach_error();
#endif
    return 0;
}
