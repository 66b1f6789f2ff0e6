void show(int); void later(void (*)(void)); void bad(void); void changed(void);
static int secret = 1, counted;
static struct { int n; int *to; } s = {2, &secret};
static void callback(void) { counted++; }
int main(void) {
    show(s.n);
    if (secret != 1) bad();
    later(callback);
    if (secret != 1) bad();
    if (counted) changed();
    *s.to = 1;
}
