struct conn { int state; };
struct lift { int floor; };
static struct conn c;
static struct lift l;
void out(int);
int main(void) { c.state = 1; l.floor = 2; out(c.state); return 0; }
