#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    static const size_t sizes[] = {8, 31, 32, 63, 64, 127, 128, 200, 256, 300};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct random_data data;
        char buffer[512];
        int32_t value;
        memset(&data, 0, sizeof data);
        memset(buffer, 0, sizeof buffer);
        printf("%d:", initstate_r(i * 77, buffer, sizes[i], &data));
        for (int k = 0; k < 6; k++) {
            random_r(&data, &value);
            printf(" %d", value);
        }
        srandom_r(12345, &data);
        random_r(&data, &value);
        printf(" %d\n", value);
    }
    printf("%ld\n", random());
    printf("%d\n", rand());
    char one[64], two[256];
    char *before = initstate(5, one, sizeof one);
    printf("%ld\n", random());
    printf("%ld\n", random());
    initstate(6, two, sizeof two);
    printf("%ld\n", random());
    printf("%d\n", setstate(one) == two);
    printf("%ld\n", random());
    setstate(before);
    printf("%ld\n", random());
    srandom(99);
    printf("%ld\n", random());
    struct drand48_data d;
    memset(&d, 0, sizeof d);
    double x;
    long y;
    unsigned short xs[3] = {1, 2, 3}, seven[7] = {1, 2, 3, 4, 5, 6, 7};
    srand48_r(42, &d);
    drand48_r(&d, &x);
    lrand48_r(&d, &y);
    printf("%.17g %ld\n", x, y);
    mrand48_r(&d, &y);
    printf("%ld\n", y);
    erand48_r(xs, &d, &x);
    nrand48_r(xs, &d, &y);
    printf("%.17g %ld %d\n", x, y, xs[0]);
    jrand48_r(xs, &d, &y);
    printf("%ld\n", y);
    seed48_r(xs, &d);
    lrand48_r(&d, &y);
    printf("%ld\n", y);
    lcong48_r(seven, &d);
    lrand48_r(&d, &y);
    printf("%ld\n", y);
    printf("%.17g\n", drand48());
    printf("%ld\n", lrand48());
    printf("%ld\n", mrand48());
    unsigned short *old = seed48(xs);
    printf("%d %d %d\n", old[0], old[1], old[2]);
    printf("%ld\n", lrand48());
    lcong48(seven);
    printf("%ld\n", mrand48());
    printf("%.17g\n", erand48(xs));
    srand48(7);
    printf("%ld\n", lrand48());
    printf("%ld\n", nrand48(xs));
    unsigned seed = 3;
    printf("%d\n", rand_r(&seed));
    printf("%d\n", rand_r(&seed));
    return 0;
}
