extern long size;
int main(void) { return (int)size; }
