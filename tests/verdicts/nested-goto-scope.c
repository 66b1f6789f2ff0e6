// EXPECT: false(pointer)
// TWIN: true
// A jump out of a nested function ends what lives in the blocks that it leaves.
int main(void) {
    __label__ out;
    int outer = 3;
    int *p = &outer;
    {
        int inner = 5;
#ifndef TWIN
        p = &inner;
#endif
        void leave(void) {
            if (*p + inner > 0)
                goto out;
        }
        leave();
    }
out:
    return *p;
}
