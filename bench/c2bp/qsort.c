/* Quicksort of a[0..n-1], with the first element as the pivot. */

static void swap(int *a, int i, int j)
{
    int t;

    t = a[i];
    a[i] = a[j];
    a[j] = t;
}

void sort(int *a, int n)
{
    int i, last;

    if (n <= 1)
        return;
    last = 0;
    i = 1;
    while (i < n) {
    SCAN:
        if (a[i] < a[0]) {
            last = last + 1;
            swap(a, last, i);
        }
        i = i + 1;
    }
    swap(a, 0, last);
    sort(a, last);
    sort(a + last + 1, n - last - 1);
}
