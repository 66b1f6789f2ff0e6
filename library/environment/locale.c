/* The locale. There is always the one called "C", and no other is followed. */

int __VERIFIER_nondet_int(void);

static char plain[] = "C";

static int is_plain(const char *name)
{
    if (name[0] == 'C')
        return name[1] == 0;
    const char *posix = "POSIX";
    while (*posix != 0 && *name == *posix) {
        name++;
        posix++;
    }
    return *name == *posix;
}

char *setlocale(int category, const char *name)
{
    if (name == 0 || is_plain(name) || __VERIFIER_nondet_int())
        return plain;
    return 0;
}
