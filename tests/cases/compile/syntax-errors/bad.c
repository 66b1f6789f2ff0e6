int f(int a) { return a +; }
int g(int b) { if b) return 1; return 0; }
int ok(void) { return 3; }
struct s { int x };
