int depth;
int main(void) {
START:
    if (depth < 3) {
        depth = depth + 1;
        main();
    }
    return 0;
}
