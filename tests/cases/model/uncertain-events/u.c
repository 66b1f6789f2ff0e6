int seen, other;
int main(int argc, char **argv) {
  int *p = argc > 1 ? &seen : &other;
  *p = 1;
  if (argc && *p) return 1;
  return 0;
}
