// EXPECT: false(pointer)
// TWIN: unknown
// Whether there is a group is open; what the pointers in its list are is not made up.
#include <grp.h>
#include <stddef.h>
int main(void) {
    struct group *group = getgrgid(0);
#ifdef TWIN
    if (group == NULL)
        return 1;
#endif
    int count = 0;
    for (char **member = group->gr_mem; *member; member++)
        count += (*member)[0] == 'a';
    return count;
}
