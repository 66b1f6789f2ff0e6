// verify:
#include <assert.h>
struct options { int level; char name[4]; };
int main(struct options *o)
{
    assert(o->level != 4 || o->name[1] != 'x');
    return 0;
}
