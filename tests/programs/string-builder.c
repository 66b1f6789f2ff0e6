// EXPECT: true
// TWIN: false(bounds)
// A string that grows by realloc: any number of characters, always terminated. The twin makes no room for the end.
#include <assert.h>
#include <stdlib.h>
extern char __VERIFIER_nondet_char(void);
extern int __VERIFIER_nondet_int(void);
struct builder {
    char *text;
    size_t length, capacity;
};
static void append(struct builder *b, char c)
{
#ifdef TWIN
    if (b->length >= b->capacity) {
#else
    if (b->length + 1 >= b->capacity) {
#endif
        size_t capacity = b->capacity ? 2 * b->capacity : 16;
        char *text = realloc(b->text, capacity);
        if (!text)
            exit(1);
        b->text = text;
        b->capacity = capacity;
    }
    b->text[b->length++] = c;
    b->text[b->length] = 0;
}
int main(void)
{
    struct builder b = { NULL, 0, 0 };
    while (b.length < 1000000 && __VERIFIER_nondet_int()) {
        append(&b, __VERIFIER_nondet_char());
        assert(b.length < b.capacity);
        assert(b.text[b.length] == 0);
    }
    free(b.text);
    return 0;
}
