#include "nosuch.h"
int main(void)
{
    return 0;
}
