#include <stdlib.h>
long read(int, void *, unsigned long);
int main(int argc, char **argv) { char c; int n = atoi(argv[1]); read(n, &c, 1); return 0; }
