struct cell { int val; struct cell *next; };
int zero, five = 5, table[3] = { 1, 2 };
extern int elsewhere;
struct cell last = { 7 }, first = { .next = &last };
char text[] = "ab";
int *to = &five;

void step(void) {
    static int calls;
    calls = calls + 1;
IN_STEP:
    zero = elsewhere;
}

int main(int argc, char **argv) {
IN_MAIN:
    step();
    return 0;
}
