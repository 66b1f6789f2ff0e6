/* An allocator of four blocks with a free list through the blocks themselves.
 * It refuses only when all blocks are taken:
 * property: (not {refuse}) W {full} */
void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

enum { BLOCKS = 4 };

struct block {
    struct block *next;
};

static struct block pool[BLOCKS];
static struct block *free_list;
static struct block *taken[BLOCKS];
static int count;

static void init(void)
{
    free_list = 0;
    for (int i = BLOCKS - 1; i >= 0; i--) {
        pool[i].next = free_list;
        free_list = &pool[i];
    }
}

static struct block *take(void)
{
    struct block *b = free_list;
    if (!b) {
        _cwolf_event("refuse");
        return 0;
    }
    free_list = b->next;
    _cwolf_event("take");
    return b;
}

static void give_back(struct block *b)
{
    b->next = free_list;
    free_list = b;
    _cwolf_event("give back");
}

int main(void)
{
    init();
    for (;;) {
        if (__VERIFIER_nondet_int()) {
            struct block *b = take();
            if (b) {
                taken[count++] = b;
                if (count == BLOCKS)
                    _cwolf_event("full");
            }
        } else if (count > 0) {
            give_back(taken[--count]);
        }
    }
}
