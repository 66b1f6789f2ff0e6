struct bits { int a : 3; unsigned b : 5; _Bool c : 1; } bits, *pb;
int f(int), v, a[10];
volatile int port;

int chain(int x, int y) { return x = y = 3; }
int chain_of_globals(int *p) { return *p = v = f(1); }
int bit_field(int x) { return bits.a = x; }
int bit_field_op(void) { return pb->b += 3; }
int bit_field_post(void) { return bits.b++; }
void element_op(int i) { a[i++] += f(i); }
int *pointer_op(int *p, long n) { return p += n; }
int *pointer_post(int *p) { return p--; }
int walk(char *p) {
    int n = 0;
    while (*p++)
        n++;
    return n;
}
void copy(char *to, const char *from) {
    while ((*to++ = *from++))
        ;
}
char narrow(char c) { return c += 200; }
int shifts(int x, long n) { return x <<= n; }
float mixed(float x) { return x *= 2.5; }
int reads_once(void) { return port + port; }
int writes_once(int x) { return port = x; }
int op_on_volatile(void) { return port |= 1; }
void dropped_volatile(void) { port; port++; }
void through_changing_pointer(int **p) { *(*p)++ += f(1); }
int global_old_value(void) { return v += f(1); }
