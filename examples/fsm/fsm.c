#include <stdio.h>

int main()
{
    int state = 0;
    char ch;

    while (1) {
        ch = getc(stdin);
        if (ch == '\n' || ch < 0)
            return 0;
        switch (state) {
        case 0:
            if (ch == 'b') {
                ++state;
            } else if (ch != 'a') {
                return 1;
            }
            break;
        case 1:
            if (ch != 'b') {
                return 1;
            }
            break;
        }
    }
}
