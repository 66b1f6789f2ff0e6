/* What a line of the map says of a function counts also where dead cells are looked for. */
int arr[4] = {1, 0, 1, 1};
int mode;
int any(void);
void set_mode(void);
void two(void);
int main(void) {
    int y = any();
    if (y == 5)
        set_mode();
    if (arr[y & 3] == 9)
        mode = 0;
    int *q = arr;
    while (q + 1 < arr + 4 && *q)
        q++;
    if (q - arr == 2)
        two();
    return 0;
}
