/*@ requires a[1][0] != 0; */
int f(int n, int a[n][n]) { if (n != 3) return 0; return 7 / a[1][0]; }
int main(void) { int m[3][3] = {{0},{1},{2}}; return f(3, m); }
