void _cwolf_event(const char *);
char s[3];
int main(void) {
    for (char *p = s + sizeof s; p > s; ) { --p; _cwolf_event("back"); }
    const char *text = "ab", *t = text;
    while (*t) { _cwolf_event(*t == 'a' ? "a" : "b"); t++; }
    if (t - text == 2) _cwolf_event("two");
}
