//! Statements and declarations of random programs that are about more than numbers.

/// What the statements below use.
pub const DECLARATIONS: &str = r#"
typedef unsigned long size_t; typedef long jmp_buf[25]; int setjmp(jmp_buf); void longjmp(jmp_buf, int);
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t);
int memcmp(const void *, const void *, size_t); char *strcpy(char *, const char *); char *strchr(const char *, int);
size_t strlen(const char *); int strcmp(const char *, const char *); int atoi(const char *);
int snprintf(char *, size_t, const char *, ...); void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
extern void touch(int *); extern int fill(void *, int); extern int outside;
struct node { int v; struct node *next; };
static struct node *head, *cur; static struct node **tail = &head; static char buf[8] = "a"; static jmp_buf env; static int armed;
static struct s many[2]; static volatile int vol; static const int consts[4] = {2, 0, 3, 1};
static union { int n; unsigned char bytes[4]; struct { short lo, hi; } halves; } word;
static struct device { int (*run)(int); void (*show)(void); struct s own; struct device *peer; } d0, d1, *dev = &d0;
static void push(int v) { struct node *n = malloc(sizeof *n); n->v = v; n->next = head; head = n; }
static void drop(void) { struct node *n = head; if (n) { head = n->next; if (cur == n) cur = 0; free(n); } }
static void jump(int n) { if (armed && n > 0) longjmp(env, n); }
static struct s make(int n) { struct s r = {n, 2}; return r; }
static int total(struct s r) { r.k += r.f; return r.k; }
static int depth(int n) { if (n <= 0) return 0; if (n == 2) a(); return 1 + depth(n - 1); }
static int order(const void *l, const void *r) { return *(const int *)l - *(const int *)r; }
"#;

/// Single statements: heap, strings, copies of structs and bytes, pointers that are compared, functions by address, code outside.
pub const PLAIN: [&str; 60] = [
    "push(in() & 3);\n",
    "push(x);\n",
    "drop();\n",
    "cur = head;\n",
    "if (cur) cur = cur->next;\n",
    "if (cur) cur->v = y;\n",
    "if (head && head->v == 2) b();\n",
    "for (struct node *n = head; n; n = n->next) if (n->v == 1) { a(); break; }\n",
    "{ struct node **n = &head; while (*n && (*n)->v != 1) n = &(*n)->next; if (*n) { struct node *o = *n; *n = o->next; if (cur == o) cur = 0; free(o); } }\n",
    "if (head) { struct node *n = malloc(sizeof *n); *n = *head; g = n->v; free(n); }\n",
    "{ struct s *n = calloc(2, sizeof *n); n[1].k = x; h = n[0].k; n = realloc(n, 3 * sizeof *n); y = n[1].k; free(n); }\n",
    "{ int *n = malloc(3 * sizeof *n); n[0] = 1; n[1] = g; n[2] = 2; h = n[in() & 1]; free(n); }\n",
    "if (head == cur) b();\n",
    "strcpy(buf, g ? \"ab\" : \"7\");\n",
    "if (buf[0] == 'a') a();\n",
    "if (strcmp(buf, \"ab\") == 0) b();\n",
    "g = strlen(buf);\n",
    "buf[0] = in() & 1 ? 'a' : 'z';\n",
    "h = atoi(buf);\n",
    "snprintf(buf, sizeof buf, \"%d\", x & 7);\n",
    "{ const char *c = buf; int n = 0; while (*c) { if (*c == 'b') n++; c++; } h = n; }\n",
    "if (strchr(buf, 'b')) b();\n",
    "memset(&s, 0, sizeof s);\n",
    "memset(arr, 0, sizeof arr);\n",
    "memcpy(&t, &s, sizeof t);\n",
    "memmove(arr + 1, arr, 2 * sizeof *arr);\n",
    "{ char raw[sizeof s]; memcpy(raw, &s, sizeof s); memcpy(&t, raw, sizeof t); }\n",
    "{ unsigned char raw[4]; memcpy(raw, &g, 4); raw[0] ^= 1; memcpy(&h, raw, 4); }\n",
    "many[in() & 1] = s;\n",
    "t = many[0]; many[1].k = x;\n",
    "s = make(in() & 3);\n",
    "y = total(s);\n",
    "t = (struct s){y, 1};\n",
    "if (memcmp(&s.k, &t.k, sizeof s.k) == 0) a();\n",
    "if (q == &g) h = 2;\n",
    "if (q >= arr && q < arr + 2) b();\n",
    "{ int *n = arr; while (n < arr + 4 && *n != 2) n++; g = n - arr; }\n",
    "q = in() & 1 ? &x : &s.k;\n",
    "word.n = x; g = word.bytes[0];\n",
    "word.bytes[in() & 1] = g; h = word.halves.lo;\n",
    "word.halves.hi = 1; if (word.n > 65535) a();\n",
    "s.f = x; if (s.f == 3) b();\n",
    "dev = in() & 1 ? &d0 : &d1;\n",
    "dev->run = in() & 1 ? f : k;\n",
    "if (dev->run) g = dev->run(x);\n",
    "dev->show = g ? a : b;\n",
    "if (dev->show) dev->show();\n",
    "d0 = d1; d0.peer = &d1; dev->own = s;\n",
    "if (dev->peer) dev->peer->own.k = y; if (d1.own.k == 2) b();\n",
    "if (dev->run == k && dev != &d0) a();\n",
    "touch(&g);\n",
    "touch(q);\n",
    "h = fill(&s, 1);\n",
    "if (outside == 3) b();\n",
    "vol = x; g = vol;\n",
    "x = depth(in() & 3);\n",
    "jump(in() & 3);\n",
    "jump(g);\n",
    "g = consts[x & 3];\n",
    "qsort(arr, 4, sizeof *arr, order); if (arr[0] < 0) b();\n",
];

/// Statements around others: `@` is one of those, `#` a number that no other has.
pub const AROUND: [&str; 5] = [
    "{ int j# = setjmp(env); if (j# == 0) { armed = 1; @ jump(g); armed = 0; } else { armed = 0; h = j#; @ } }\n",
    "switch (setjmp(env)) { case 0: armed = 1; @ jump(in() & 3); armed = 0; break; case 1: armed = 0; @ break; default: armed = 0; @ }\n",
    "if (in() & 1) goto l#; @ l#: ;\n",
    "{ int i# = 0; r#: ; @ if (i#++ < 1 && in() & 1) goto r#; }\n",
    "{ int i# = 0; do { @ } while (++i# < 2 && g); }\n",
];
