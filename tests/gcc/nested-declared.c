// Nested functions that are declared first, that call each other, and whose addresses others of them take.
#include <stdio.h>

static int twice(int (*f)(int), int x) { return f(f(x)); }

static int mutual(int n) {
    int steps = 0;
    auto int even(int);
    int odd(int k) {
        steps++;
        return k == 0 ? 0 : even(k - 1);
    }
    int even(int k) {
        steps++;
        return k == 0 ? 1 : odd(k - 1);
    }
    return even(n) * 1000 + steps;
}

static int before(int n) {
    int total = n;
    auto int add(int);
    int r = add(3) + add(4);
    int add(int k) {
        total += k;
        return total;
    }
    return r * 100 + total;
}

static int address(int n) {
    int calls = 0;
    int more(int x) {
        calls++;
        return x + n;
    }
    int use(int x) { return twice(more, x); }
    int later(int x) {
        int (*f)(int) = more;
        return f(x) + use(x);
    }
    return later(1) * 10 + calls;
}

static int lengths(int n, int a[n][n]) {
    int row[n];
    int get(int i, int j) { return a[i][j] + (int)(sizeof a[0] / sizeof(int)); }
    void fill(void) {
        for (int i = 0; i < n; i++)
            row[i] = i;
    }
    fill();
    return get(1, 1) * 10 + row[n - 1];
}

static int old(k, a, n) int n; int a[n][n]; int k; { return a[k][k] + (int)sizeof a[0]; }

int main(void) {
    int a[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    printf("%d %d\n", mutual(4), mutual(5));
    printf("%d\n", before(1));
    printf("%d\n", address(5));
    printf("%d %d\n", lengths(3, a), old(2, a, 3));
    return 0;
}
