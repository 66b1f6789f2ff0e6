int plain(int a) { return a + 1; }
double magnitude(double re) {
  _Decimal64 z = re;
  return (double)z;
}
int outer(int a) {
  return plain(a) + (int)magnitude(a);
}
