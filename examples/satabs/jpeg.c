/* A pointer walks over the rows of a block instead of an index: at each row it is
   &data[8 * (7 - ctr)]. */
#include <assert.h>

#define DCTSIZE 8

typedef int DCTELEM;

int __VERIFIER_nondet_int(void);

static void transform_rows(DCTELEM *data)
{
    DCTELEM *dataptr = data;
    for (int ctr = DCTSIZE - 1; ctr >= 0; ctr--) {
        assert(dataptr == &data[8 * (7 - ctr)]);
        DCTELEM low = dataptr[0] & 0xffff, high = dataptr[7] & 0xffff;
        dataptr[0] = low + high;
        dataptr[7] = low - high;
        dataptr += DCTSIZE;
    }
}

int main(void)
{
    DCTELEM data[DCTSIZE * DCTSIZE];
    for (int n = 0; n < DCTSIZE * DCTSIZE; n++)
        data[n] = __VERIFIER_nondet_int();
    transform_rows(data);
    return 0;
}
