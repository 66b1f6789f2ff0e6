int plain(int a) { return a + 1; }
double magnitude(double re, double im) {
  double _Complex z = re + im * 1.0i;
  return __real__ z;
}
int outer(int a) {
  int inner(int b) { return a + b; }
  return inner(1);
}
