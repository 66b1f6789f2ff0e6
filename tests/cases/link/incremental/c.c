int c(void) { return 7; }
