int thing(void) { return 2; }
