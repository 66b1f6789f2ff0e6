/* After r = bar(p, x): t2 is x == r, since bar's y is x and its l1 is r. Which of the four values of t2 and x == 0 imply
   r == 0, and which r != 0. */
#include <stdio.h>

int main(void)
{
    for (int t2 = 1; t2 >= 0; t2--)
        for (int zero = 1; zero >= 0; zero--) {
            int equal = 0, differ = 0;
            for (int x = -4; x <= 4; x++)
                for (int r = -4; r <= 4; r++)
                    if ((x == r) == t2 && (x == 0) == zero) {
                        equal += r == 0;
                        differ += r != 0;
                    }
            printf("t2=%d {x == 0}=%d: %s\n", t2, zero, !differ ? "r == 0" : !equal ? "r != 0" : "either");
        }
    return 0;
}
