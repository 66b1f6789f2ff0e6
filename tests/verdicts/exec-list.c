// EXPECT: unknown
// TWIN: true
// The list of arguments must end with a null pointer, which is not checked.
#include <unistd.h>
int main(void) {
    char *list[] = {"ls", "-l"};
#ifndef TWIN
    execv("/bin/ls", list);
#else
    execl("/bin/ls", list[0], list[1], (char *)0);
#endif
    return 0;
}
