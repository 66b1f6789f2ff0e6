int f(int);

void forever(void) { for (;;); }
int loops(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i == 3)
            continue;
        if (s > 10)
            break;
        s += i;
    }
    do s--; while (s > n);
    while (n--) s++;
    return s;
}
int fallthrough(int x) {
    int y = 0;
    switch (x) {
        y = 100;
    case 1:
    case 2: y++;
    case 5 ... 7: y++; break;
    default: y = 9;
    case -1: y--;
    }
    return y;
}
void duff(short *to, short *from, int count) {
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to = *from++;
    case 3: *to = *from++;
    case 2: *to = *from++;
    case 1: *to = *from++;
        } while (--n > 0);
    }
}
int into_loop(int x) {
    if (x) goto inside;
    while (f(x)) {
        x++;
    inside:
        x += 2;
    }
    return x;
}
int computed(int i) {
    static void *const table[] = {&&a, &&b, &&c};
    goto *table[i];
a:  i++;
b:  i++;
c:  return i;
}
_Noreturn void die(int);
int no_return(int x) {
    if (x) die(1);
    return 2;
}
int falls_off(int x) { if (x) return 1; }
int traps(int x) {
    if (x == 1) __builtin_trap();
    if (x == 2) __builtin_unreachable();
    return x;
}
int dead_code(int x) {
    if (0) f(1);
    while (0) f(2);
    if (1) return x; else return 3;
    return f(4);
}
void dead_but_reached(int x) {
    if (0) {
    label:
        f(1);
        return;
    }
    if (x) goto label;
}
int undefined_again(int n) {
    int first;
    while (n--) {
        int again;
        if (n > 2) again = n;
        first = again;
    }
    return first;
}
int jumps_back(int n) {
    int once;
top:;
    int again;
    if (n--) { again = n; goto top; }
    int last;
    return last = once = again;
}
int switch_on_long(unsigned long x) {
    switch (x) {
    case -1ul: return 1;
    case 0: return 2;
    }
    return 3;
}
void assembly(int x) {
    int y;
    asm("nop" : "=r"(y), "+m"(x) : "r"(f(1)));
    asm goto("jmp" : : : : out);
    f(y);
out:;
}
int main(void) { f(1); }
