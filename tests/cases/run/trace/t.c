static int twice(int n) { return n * 2; }
int main(void) {
  int x = 3;
  x = twice(x);
  return x - 6;
}
