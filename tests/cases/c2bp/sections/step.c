void step(int x) {
    x = x + 1;
}
