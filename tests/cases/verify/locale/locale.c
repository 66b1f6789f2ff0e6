#include <ctype.h>
#include <locale.h>
#include <assert.h>
int main(void) {
    setlocale(LC_ALL, "");
    assert(isupper('A'));
    return 0;
}
