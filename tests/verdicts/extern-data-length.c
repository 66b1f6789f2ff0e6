// EXPECT: unknown
// TWIN: false(pointer)
// Nobody knows how long this array is, but it does not start before its start.
extern int table[];
int main(void) {
    int *entry = table;
#ifndef TWIN
    return entry[2] != 0;
#else
    return entry[-2] != 0;
#endif
}
