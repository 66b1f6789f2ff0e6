int nd(void); void send(int); void rest(void);
static int count, mode, total;
static int weigh(int n) { int sum = 0; if (n > 3) sum = 2; return sum + 1; }
static void turn(void) { mode++; if (mode == 3) mode = 0; }
int main(void) {
    for (;;) {
        count++;
        total += weigh(count);
        if (nd()) turn();
        if (mode == 1) send(1);
        if (mode == 2) rest();
        if (total > 100) total = 0;
    }
}
