/* A cell of an array with a computed index is read by memmove only, into a variable that indices do not depend on. */
void *memmove(void *, const void *, unsigned long);
int any(void);
void low(void);
int arr[4] = {1, -1};
int main(void) {
    int x = 2, y = 3;
    int *p = &x;
    memmove(p, arr + 2, sizeof *p);
    if (arr[y & 3] == 7)
        any();
    if (x < 0)
        low();
    arr[y & 3] = any();
    return 0;
}
