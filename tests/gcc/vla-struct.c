// Structs with members of variable length: layout, copies, arrays of them, pointers to them.
#include <stdio.h>
#include <stddef.h>

static int copy(int n) {
    struct s { int a; char v[n]; int b; } x, y;
    x.a = 1;
    x.b = 2;
    for (int i = 0; i < n; i++)
        x.v[i] = i;
    y = x;
    x.v[n - 1] = 0;
    return y.a + y.b * 10 + y.v[n - 1] * 100 + (int)sizeof(struct s) * 10000;
}

static int pointed(int n) {
    struct s { short d[n]; long l; } x, *p = &x;
    p->d[n - 1] = 4;
    p->l = 7;
    struct s q;
    q = *p;
    return q.d[n - 1] * 1000 + (int)sizeof q * 10 + (int)q.l + (int)((char *)&p->l - (char *)p) * 100000;
}

static int array(int n) {
    struct { int x[n][2]; char c; } all[3], *p = all;
    all[2].c = 7;
    all[1].x[n - 1][1] = 5;
    p++;
    return (int)(&all[2].c - (char *)all) * 100 + p->x[n - 1][1] * 10 + (p + 1)->c + (int)sizeof all * 100000;
}

static int inner(int n) {
    typedef struct { char c; struct { double d; char t[n]; } in; short s; } outer;
    outer x;
    n = 100;
    x.c = 1;
    x.in.t[2] = 3;
    x.s = 4;
    return x.c + x.in.t[2] * 10 + x.s * 100 + (int)sizeof x * 1000 + (int)sizeof x.in.t * 1000000;
}

static int packed(int n) {
    struct __attribute__((packed)) { char c; int v[n]; short s; } x;
    x.s = 3;
    return (int)sizeof x * 10 + x.s;
}

static int loop(void) {
    int sum = 0;
    for (int n = 1; n < 5; n++) {
        struct { int v[n]; char end; } x;
        x.end = n;
        sum = sum * 100 + (int)sizeof x + x.end;
    }
    return sum;
}

static int captured(int n) {
    struct s { int k; int v[n]; } x;
    x.k = 2;
    int get(int i) { return x.v[i] * x.k + (int)sizeof(struct s); }
    for (int i = 0; i < n; i++)
        x.v[i] = i;
    return get(n - 1);
}

int main(void) {
    printf("%d %d\n", copy(3), copy(8));
    printf("%d %d\n", pointed(5), pointed(2));
    printf("%d\n", array(4));
    printf("%d\n", inner(5));
    printf("%d\n", packed(3));
    printf("%d\n", loop());
    printf("%d\n", captured(6));
    return 0;
}
