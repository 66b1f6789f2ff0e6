#include <stdio.h>
int helper(int);
int main(void) { printf("%d\n", helper(20)); return 0; }
