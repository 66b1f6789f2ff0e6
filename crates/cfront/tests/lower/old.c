extern int table[];
int before(i) { return later(i, 2) + table[i]; }
int later(a, b) char a; { return a + b; }
int table[4] = {1, 2};
int (*whole(void))[4] { return &table; }
int wrong(void) { return few(); }
int few(int x) { return x; }
