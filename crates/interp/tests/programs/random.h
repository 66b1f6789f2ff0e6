/* Numbers for tests that try many arguments: the same seed, the same numbers, here and there. */
#include <stdlib.h>
static unsigned long long random_state;
static unsigned next_random(void) {
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(random_state >> 33);
}
static int below(int n) { return (int)(next_random() % (unsigned)n); }
static void seed_from(int argc, char **argv) {
    random_state = argc > 1 ? strtoull(argv[1], 0, 10) * 2654435761u + 1 : 1;
    next_random();
}
static long long some_number(void) {
    static const long long edges[] = {0, 1, -1, 7, 127, 128, -128, 255, 256, 32767, -32768, 65535,
                                      2147483647LL, -2147483648LL, 4294967295LL,
                                      9223372036854775807LL, -9223372036854775807LL - 1};
    switch (below(3)) {
    case 0: return edges[below(sizeof edges / sizeof *edges)];
    case 1: return below(2000) - 1000;
    default: return (long long)((unsigned long long)next_random() << 33 ^ next_random());
    }
}
static char *some_text(char *to, int most, const char *letters, int count) {
    int n = below(most + 1);
    for (int i = 0; i < n; i++) to[i] = letters[below(count)];
    to[n] = 0;
    return to;
}
