void _cwolf_event(const char *);
int a[4];
int main(void) {
    for (int *p = a; p < a + 3; p++) _cwolf_event("step");
    int *p = a, *pe = a + 4;
    while (p + 1 < pe) { p++; _cwolf_event("inner"); }
    if (p >= pe) _cwolf_event("never"); else _cwolf_event("end");
}
