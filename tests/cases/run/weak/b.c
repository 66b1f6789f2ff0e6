#include <stdio.h>
extern int other_name;
int tuning[4] = { 1, 2, 3, 4 };
int weak_name = 100;
int setting(void) { return 2; }
int hard(int n) { return n + other_name; }
void hook(void) { puts("hook"); }
