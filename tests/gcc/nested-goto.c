// Jumps out of nested functions: through the library, out of several activations, into loops, past arrays.
#include <stdio.h>
#include <stdlib.h>

static int calls;

static int least(int *v, int n) {
    __label__ bad;
    int seen = 0;
    int cmp(const void *a, const void *b) {
        int x = *(const int *)a, y = *(const int *)b;
        calls++;
        if (x < 0 || y < 0) {
            seen = x < 0 ? x : y;
            goto bad;
        }
        return x - y;
    }
    qsort(v, n, sizeof *v, cmp);
    return v[0];
bad:
    return seen * 100;
}

static int loop(void) {
    int sum = 0;
    for (int i = 0; i < 6; i++) {
        __label__ next;
        int here = i * 10;
        void skip(int k) {
            if (k % 2)
                goto next;
            sum += k;
        }
        skip(i);
        sum += 100;
    next:
        sum += here;
    }
    return sum;
}

static int deep(int n) {
    __label__ done;
    int r = 0;
    void a(int k) {
        void b(int m) {
            if (m > n)
                goto done;
            r += m;
            a(m + 1);
        }
        b(k);
        r += 10000;
    }
    a(0);
    return -1;
done:
    return r;
}

/* The label of the activation whose function was passed. */
static int activations(int n, void (*up)(void)) {
    __label__ out;
    int depth = n;
    void mine(void) { goto out; }
    if (n == 0) {
        up();
        return 1;
    }
    if (n % 2)
        return activations(n - 1, mine) + 10;
    return activations(n - 1, up) + 100;
out:
    return depth;
}

static int past_array(int n) {
    __label__ end;
    int a[n];
    a[n - 1] = n;
    int i = 0;
    void step(void) {
        a[i]++;
        if (i == 2)
            goto end;
    }
    for (; i < n; i++) {
        a[i] = i;
        step();
    }
end:
    return a[0] * 100 + a[2] * 10 + i;
}

static int two(int which) {
    __label__ first, second;
    int r = 0;
    void go(void) {
        if (which == 1)
            goto first;
        if (which == 2)
            goto second;
    }
    go();
    return r;
first:
    r += 1;
second:
    return r + 10;
}

/* A nested function's own label hides nothing that __label__ declared. */
static int expression(int n) {
    int r = ({
        __label__ leave;
        int v = 1;
        void maybe(void) {
            if (n > 3)
                goto leave;
            v = 2;
        }
        maybe();
        v += 5;
    leave:
        v;
    });
    return r;
}

int main(void) {
    __label__ done;
    int v[] = {3, 1, 2}, w[] = {3, -1, 2};
    printf("%d\n", least(v, 3));
    printf("%d %d\n", least(w, 3), calls > 0);
    printf("%d\n", loop());
    printf("%d\n", deep(4));
    printf("%d\n", past_array(5));
    for (int i = 0; i < 3; i++)
        printf("%d\n", two(i));
    printf("%d %d\n", expression(1), expression(7));
    void bail(void) { goto done; }
    printf("%d\n", activations(5, bail));
    printf("%d\n", activations(2, bail));
    puts("not here");
done:
    puts("done");
    return 0;
}
