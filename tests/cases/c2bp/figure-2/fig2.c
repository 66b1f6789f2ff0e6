int bar(int* q, int y) {
    int l1, l2;
    l2 = y - 1;
    l1 = y;
    *q = l2;
    return l1;
}

void foo(int* p, int x) {
    int r;
    if (*p <= x)
        *p = x;
    else
        *p = *p + x;
    r = bar(p, x);
}
