int b(void); int c(void);
int main(void) { return b() + c(); }
