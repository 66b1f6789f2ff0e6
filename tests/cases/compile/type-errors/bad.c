struct point { int x, y; };
int length(struct point *p) { return p->z; }
int main(void) {
  int count = 0;
  return cuont + length(0) + *count;
}
