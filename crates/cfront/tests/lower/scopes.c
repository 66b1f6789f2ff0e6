void done(int *), f(int);
int g(void);

int by_return(void) {
    int x __attribute__((cleanup(done))) = 1;
    int y __attribute__((cleanup(done))) = 2;
    return x + y;
}
void by_break(int n) {
    int outer __attribute__((cleanup(done))) = 0;
    while (n--) {
        int inner __attribute__((cleanup(done))) = n;
        if (n == 3) break;
        if (n == 4) continue;
        if (n == 5) goto out;
        if (n == 6) goto again;
        f(inner);
    again:;
    }
    f(1);
out:;
}
int vla(int n) {
    int a[n];
    a[n - 1] = 3;
    return sizeof a + a[0];
}
void vla_in_loop(int n) {
    while (n--) {
        char b[n], c[n][n];
        if (g()) continue;
        b[0] = c[1][2];
    }
}
int statement_expression(int n) {
    return ({ int x __attribute__((cleanup(done))) = n; x + 1; }) + ({ f(n); g(); });
}
void statement_expression_for_effect(void) { ({ f(1); g(); }); }
struct s { int a, b; } sg;
int record_of_statement_expression(void) { return ({ f(1); sg; }).b; }
int max(int a, int b) { return ({ int x = a, y = b; x > y ? x : y; }); }
int variadic(int n, ...) {
    __builtin_va_list ap;
    __builtin_va_start(ap, n);
    int sum = 0;
    while (n--) sum += __builtin_va_arg(ap, int);
    __builtin_va_end(ap);
    return sum;
}
