int tentative;
static int hidden = 20;
int choose(void) { return 2; }
int table[3] = {1, 2, 3};
int other(void) { return hidden + tentative; }
