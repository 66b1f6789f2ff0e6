int a[4]; int main(int argc, char **argv) { int i = 3 + argc; a[i] = 1; return 0; }
