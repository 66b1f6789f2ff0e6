#include <assert.h>
#include <wchar.h>
int main(void) {
    wchar_t text[20];
    int length = swprintf(text, 20, L"%d", 12345);
    assert(length == 5);
    return 0;
}
