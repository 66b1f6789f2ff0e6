int part(int n) { return n; } int main(void) { part(1); return part(2); }
