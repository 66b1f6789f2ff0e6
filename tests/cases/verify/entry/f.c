int limit = 8;

void set_limit(int n) { limit = n; }

int null(int *p) { return *p; }

int apart(int *p, int *q)
{
    *p = 1;
    *q = 0;
    return 1 / *p;
}

int variable(int *p)
{
    limit = 1;
    *p = 0;
    return 1 / limit;
}

int changed(void) { return 1 / limit; }

int elements(const int *list, int n)
{
    return n > 0 ? list[n - 1] : 0;
}

int text(const char *s) { return s[0] ? s[1] : 0; }

int small(int n) { return 10 / (n - 3); }

struct ring {
    struct ring *next;
    int (*size)(int);
};

int twice(struct ring *r)
{
    if (!r || !r->next || !r->next->size)
        return 0;
    return r->next->size(1);
}

/* Callers may pass two places of one array. */
int between(const int *begin, const int *end)
{
    if (!begin || !end)
        return 0;
    return end == begin + 2 ? 1 / (int)(end - begin - 2) : 0;
}
