int c(void);
int b(void) { return 2 * c(); }
