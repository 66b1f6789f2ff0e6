int g;
int steady(int *p, int n) { int r; r = n; *p = r; return r; }
int moving(int *p, int n) { int r; r = n; n = n + 1; p = p + 1; return r; }
int shown(int n) { int r; r = n; g = r; return r; }
int taken(int n) { int r, *q; q = &n; *q = 3; r = n; return r; }
