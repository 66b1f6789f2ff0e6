int half(int n) { return 100 / n; }
int third(int n) { return 100 / n; }
