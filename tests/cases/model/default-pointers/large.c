int input(void);
static char buf[4096];
static const char *const words[] = {
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t",
    "aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "ii", "jj", "kk", "ll", "mm", "nn", "oo", "pp", "qq", "rr",
};
int main(void) {
    char *p = buf;
    while (p < buf + sizeof buf && *p) p++;
#ifdef MANY
    const char *word = words[input()];
    while (input()) if (word[0] == 'a') return 1;
#endif
}
