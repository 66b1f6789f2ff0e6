#include <assert.h>
#include <string.h>
int main(int n, char **texts) { if (n > 1) assert(strlen(texts[1]) < 20); return 0; }
