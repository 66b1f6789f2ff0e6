#ifndef X
#define X 0
#define Y 0
#endif
int part(int);
int main(void) { return part(X) + Y; }
