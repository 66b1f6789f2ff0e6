static int a[2]; int nd(void); void out(void);
int main(void) {
    a[0] = a[1] = 1;
    out();
    a[nd() & 1] = 7;
    out();
    if (a[0] == 1 && a[1] == 1) out();
}
