int plain(int a) { return a + 1; }
double magnitude(double re) {
  _Decimal64 z = re;
  return (double)z;
}
int outer(int a) {
  return plain(a) + (int)magnitude(a);
}
struct __attribute__((scalar_storage_order("big-endian"))) packet { unsigned short length; };
int length(struct packet *p) {
  return p->length;
}
int varying(int n) {
  union { char bytes[n]; int number; } u;
  u.number = n;
  return u.number;
}
