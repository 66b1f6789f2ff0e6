/*@ requires 0 < n <= 3;
    requires \valid_read(a + (0 .. n - 1));
    ensures \forall integer i; 0 <= i < n ==> \result >= a[i];
    ensures \exists integer i; 0 <= i < n && \result == a[i];
    assigns \nothing; */
int max(const int *a, int n)
{
    int m = a[0];
    /*@ loop invariant 1 <= i <= n;
        loop invariant \forall integer j; 0 <= j < i ==> m >= a[j];
        loop variant n - i; */
    for (int i = 1; i < n; i++)
        if (a[i] > m)
            m = a[i];
    return m;
}

/*@ ensures \result == \at(n, Pre); */
int same(int n)
{
    return n + 1;
}
