/* <wchar.h>, in the C locale, written to be read by the analyses: one element at a time, no tricks.
   `wide` is the target's wchar_t, `size` has the width of its size_t. */

typedef typeof(sizeof 0) size;
typedef int wide;

void *malloc(size n);

size wcslen(const wide *s)
{
    size n = 0;
    while (s[n])
        n++;
    return n;
}

size wcsnlen(const wide *s, size limit)
{
    size n = 0;
    while (n < limit && s[n])
        n++;
    return n;
}

wide *wcpcpy(wide *restrict to, const wide *restrict from)
{
    size i = 0;
    while ((to[i] = from[i]))
        i++;
    return to + i;
}

wide *wcscpy(wide *restrict to, const wide *restrict from)
{
    wcpcpy(to, from);
    return to;
}

wide *wcpncpy(wide *restrict to, const wide *restrict from, size n)
{
    size i = 0;
    while (i < n && (to[i] = from[i]))
        i++;
    for (size rest = i; rest < n; rest++)
        to[rest] = 0;
    return to + i;
}

wide *wcsncpy(wide *restrict to, const wide *restrict from, size n)
{
    wcpncpy(to, from, n);
    return to;
}

wide *wcscat(wide *restrict to, const wide *restrict from)
{
    wcpcpy(to + wcslen(to), from);
    return to;
}

wide *wcsncat(wide *restrict to, const wide *restrict from, size n)
{
    wide *end = to + wcslen(to);
    size i = 0;
    while (i < n && from[i]) {
        end[i] = from[i];
        i++;
    }
    end[i] = 0;
    return to;
}

int wcscmp(const wide *left, const wide *right)
{
    size i = 0;
    while (left[i] && left[i] == right[i])
        i++;
    return (left[i] > right[i]) - (left[i] < right[i]);
}

int wcsncmp(const wide *left, const wide *right, size n)
{
    for (size i = 0; i < n; i++) {
        if (left[i] != right[i])
            return left[i] > right[i] ? 1 : -1;
        if (!left[i])
            return 0;
    }
    return 0;
}

wide *wcschrnul(const wide *s, wide c)
{
    while (*s && *s != c)
        s++;
    return (wide *)s;
}

wide *wcschr(const wide *s, wide c)
{
    wide *p = wcschrnul(s, c);
    return *p == c ? p : 0;
}

wide *wcsrchr(const wide *s, wide c)
{
    const wide *found = 0;
    for (;; s++) {
        if (*s == c)
            found = s;
        if (!*s)
            return (wide *)found;
    }
}

size wcsspn(const wide *s, const wide *accept)
{
    size n = 0;
    while (s[n] && wcschr(accept, s[n]))
        n++;
    return n;
}

size wcscspn(const wide *s, const wide *reject)
{
    size n = 0;
    while (s[n] && !wcschr(reject, s[n]))
        n++;
    return n;
}

wide *wcspbrk(const wide *s, const wide *accept)
{
    s += wcscspn(s, accept);
    return *s ? (wide *)s : 0;
}

wide *wcsstr(const wide *in, const wide *what)
{
    size length = wcslen(what);
    for (;; in++) {
        if (!wcsncmp(in, what, length))
            return (wide *)in;
        if (!*in)
            return 0;
    }
}

wide *wcstok(wide *restrict s, const wide *restrict separators, wide **restrict rest)
{
    if (!s)
        s = *rest;
    if (!s)
        return 0;
    s += wcsspn(s, separators);
    if (!*s) {
        *rest = 0;
        return 0;
    }
    wide *end = s + wcscspn(s, separators);
    if (*end) {
        *end = 0;
        *rest = end + 1;
    } else {
        *rest = 0;
    }
    return s;
}

wide *wmemcpy(wide *restrict to, const wide *restrict from, size n)
{
    for (size i = 0; i < n; i++)
        to[i] = from[i];
    return to;
}

wide *wmempcpy(wide *restrict to, const wide *restrict from, size n)
{
    for (size i = 0; i < n; i++)
        to[i] = from[i];
    return to + n;
}

wide *wmemmove(wide *to, const wide *from, size n)
{
    if ((size)to < (size)from) {
        for (size i = 0; i < n; i++)
            to[i] = from[i];
    } else {
        for (size i = n; i > 0; i--)
            to[i - 1] = from[i - 1];
    }
    return to;
}

wide *wmemset(wide *to, wide c, size n)
{
    for (size i = 0; i < n; i++)
        to[i] = c;
    return to;
}

int wmemcmp(const wide *left, const wide *right, size n)
{
    for (size i = 0; i < n; i++)
        if (left[i] != right[i])
            return left[i] > right[i] ? 1 : -1;
    return 0;
}

wide *wmemchr(const wide *in, wide c, size n)
{
    for (size i = 0; i < n; i++)
        if (in[i] == c)
            return (wide *)in + i;
    return 0;
}

wide *wcsdup(const wide *s)
{
    size n = wcslen(s) + 1;
    wide *copy = malloc(n * sizeof *copy);
    return copy ? wmemcpy(copy, s, n) : 0;
}
