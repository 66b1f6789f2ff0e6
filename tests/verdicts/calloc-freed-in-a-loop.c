// EXPECT: false(pointer)
// TWIN: true
// What calloc returned is used after it was freed, in a loop.
extern void *calloc(unsigned long, unsigned long);
extern void free(void *);

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int *h = calloc(4, sizeof *h);
        if (!h)
            return 0;
#ifdef TWIN
        sum += h[i];
        free(h);
#else
        free(h);
        sum += h[i];
#endif
    }
    return sum;
}
