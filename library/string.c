/* <string.h> and <strings.h>, in the C locale, written to be read by the analyses: one byte at a
   time, no tricks. No preprocessor needed; `size` has the width of the target's size_t. */

typedef typeof(sizeof 0) size;

void *malloc(size n);

void *memcpy(void *restrict to, const void *restrict from, size n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    for (size i = 0; i < n; i++)
        t[i] = f[i];
    return to;
}

void *mempcpy(void *restrict to, const void *restrict from, size n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    for (size i = 0; i < n; i++)
        t[i] = f[i];
    return t + n;
}

void *memmove(void *to, const void *from, size n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if ((size)t < (size)f) {
        for (size i = 0; i < n; i++)
            t[i] = f[i];
    } else {
        for (size i = n; i > 0; i--)
            t[i - 1] = f[i - 1];
    }
    return to;
}

void *memccpy(void *restrict to, const void *restrict from, int c, size n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    for (size i = 0; i < n; i++) {
        t[i] = f[i];
        if (f[i] == (unsigned char)c)
            return t + i + 1;
    }
    return 0;
}

void *memset(void *to, int c, size n)
{
    unsigned char *t = to;
    for (size i = 0; i < n; i++)
        t[i] = (unsigned char)c;
    return to;
}

int memcmp(const void *left, const void *right, size n)
{
    const unsigned char *a = left, *b = right;
    for (size i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] - b[i];
    return 0;
}

void *memchr(const void *in, int c, size n)
{
    const unsigned char *p = in;
    for (size i = 0; i < n; i++)
        if (p[i] == (unsigned char)c)
            return (void *)(p + i);
    return 0;
}

void *memrchr(const void *in, int c, size n)
{
    const unsigned char *p = in;
    for (size i = n; i > 0; i--)
        if (p[i - 1] == (unsigned char)c)
            return (void *)(p + i - 1);
    return 0;
}

void *rawmemchr(const void *in, int c)
{
    const unsigned char *p = in;
    while (*p != (unsigned char)c)
        p++;
    return (void *)p;
}

void *memmem(const void *in, size n, const void *what, size m)
{
    const unsigned char *p = in;
    for (size i = 0; m <= n && i <= n - m; i++)
        if (memcmp(p + i, what, m) == 0)
            return (void *)(p + i);
    return 0;
}

size strlen(const char *s)
{
    size n = 0;
    while (s[n] != 0)
        n++;
    return n;
}

size strnlen(const char *s, size max)
{
    size n = 0;
    while (n < max && s[n] != 0)
        n++;
    return n;
}

char *stpcpy(char *restrict to, const char *restrict from)
{
    size n = strlen(from);
    memcpy(to, from, n + 1);
    return to + n;
}

char *strcpy(char *restrict to, const char *restrict from)
{
    stpcpy(to, from);
    return to;
}

char *stpncpy(char *restrict to, const char *restrict from, size n)
{
    size i = strnlen(from, n);
    memcpy(to, from, i);
    for (size j = i; j < n; j++)
        to[j] = 0;
    return to + i;
}

char *strncpy(char *restrict to, const char *restrict from, size n)
{
    stpncpy(to, from, n);
    return to;
}

size strlcpy(char *restrict to, const char *restrict from, size n)
{
    size i = 0;
    while (from[i] != 0) {
        if (i + 1 < n)
            to[i] = from[i];
        i++;
    }
    if (n > 0)
        to[i < n ? i : n - 1] = 0;
    return i;
}

char *strcat(char *restrict to, const char *restrict from)
{
    stpcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size n)
{
    char *t = to + strlen(to);
    size i = strnlen(from, n);
    memcpy(t, from, i);
    t[i] = 0;
    return to;
}

size strlcat(char *restrict to, const char *restrict from, size n)
{
    size used = strnlen(to, n);
    if (used == n)
        return n + strlen(from);
    return used + strlcpy(to + used, from, n - used);
}

int strcmp(const char *left, const char *right)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    while (*a != 0 && *a == *b) {
        a++;
        b++;
    }
    return *a - *b;
}

int strncmp(const char *left, const char *right, size n)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    for (size i = 0; i < n; i++) {
        if (a[i] != b[i])
            return a[i] - b[i];
        if (a[i] == 0)
            return 0;
    }
    return 0;
}

int strcoll(const char *left, const char *right)
{
    return strcmp(left, right);
}

size strxfrm(char *restrict to, const char *restrict from, size n)
{
    size length = strlen(from);
    for (size i = 0; i < n && i <= length; i++)
        to[i] = from[i];
    return length;
}

static int __cwolf_lower(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

int strcasecmp(const char *left, const char *right)
{
    size i = 0;
    while (left[i] != 0 && __cwolf_lower(left[i]) == __cwolf_lower(right[i]))
        i++;
    return __cwolf_lower(left[i]) - __cwolf_lower(right[i]);
}

int strncasecmp(const char *left, const char *right, size n)
{
    for (size i = 0; i < n; i++) {
        int difference = __cwolf_lower(left[i]) - __cwolf_lower(right[i]);
        if (difference != 0 || left[i] == 0)
            return difference;
    }
    return 0;
}

char *strchrnul(const char *s, int c)
{
    while (*s != 0 && *s != (char)c)
        s++;
    return (char *)s;
}

char *strchr(const char *s, int c)
{
    char *found = strchrnul(s, c);
    return *found == (char)c ? found : 0;
}

char *strrchr(const char *s, int c)
{
    const char *found = 0;
    for (;; s++) {
        if (*s == (char)c)
            found = s;
        if (*s == 0)
            return (char *)found;
    }
}

char *index(const char *s, int c)
{
    return strchr(s, c);
}

char *rindex(const char *s, int c)
{
    return strrchr(s, c);
}

size strspn(const char *s, const char *accept)
{
    size n = 0;
    while (s[n] != 0 && strchr(accept, s[n]) != 0)
        n++;
    return n;
}

size strcspn(const char *s, const char *reject)
{
    size n = 0;
    while (s[n] != 0 && strchr(reject, s[n]) == 0)
        n++;
    return n;
}

char *strpbrk(const char *s, const char *accept)
{
    s += strcspn(s, accept);
    return *s != 0 ? (char *)s : 0;
}

char *strstr(const char *in, const char *what)
{
    size n = strlen(what);
    for (;; in++) {
        if (strncmp(in, what, n) == 0)
            return (char *)in;
        if (*in == 0)
            return 0;
    }
}

char *strcasestr(const char *in, const char *what)
{
    size n = strlen(what);
    for (;; in++) {
        if (strncasecmp(in, what, n) == 0)
            return (char *)in;
        if (*in == 0)
            return 0;
    }
}

char *strtok_r(char *restrict s, const char *restrict separators, char **restrict rest)
{
    if (s == 0)
        s = *rest;
    s += strspn(s, separators);
    char *end = s + strcspn(s, separators);
    if (end == s) {
        *rest = end;
        return 0;
    }
    if (*end != 0)
        *end++ = 0;
    *rest = end;
    return s;
}

char *strtok(char *restrict s, const char *restrict separators)
{
    static char *rest;
    return strtok_r(s, separators, &rest);
}

char *strsep(char **restrict rest, const char *restrict separators)
{
    char *s = *rest;
    if (s == 0)
        return 0;
    char *end = s + strcspn(s, separators);
    if (*end != 0) {
        *end = 0;
        *rest = end + 1;
    } else {
        *rest = 0;
    }
    return s;
}

char *strndup(const char *s, size max)
{
    size n = strnlen(s, max);
    char *copy = malloc(n + 1);
    if (copy == 0)
        return 0;
    memcpy(copy, s, n);
    copy[n] = 0;
    return copy;
}

char *strdup(const char *s)
{
    size n = strlen(s) + 1;
    char *copy = malloc(n);
    return copy == 0 ? 0 : memcpy(copy, s, n);
}

int bcmp(const void *left, const void *right, size n)
{
    return memcmp(left, right, n);
}

void bcopy(const void *from, void *to, size n)
{
    memmove(to, from, n);
}

void bzero(void *to, size n)
{
    memset(to, 0, n);
}
