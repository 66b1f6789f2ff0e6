/* isdigit and its like are look-ups in tables of the library; bzero is one write. */
#include <ctype.h>
#include <strings.h>
struct pair { int a, b; };
static struct pair p = {1, 2};
void number(int n);
int main(void) {
    number(!!isdigit('3'));
    number(!!isalpha('3'));
    number(toupper('x'));
    bzero(&p, sizeof p);
    number(p.b);
    return 0;
}
