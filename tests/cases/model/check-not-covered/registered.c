void boom(void); int wait_request(void); void work(void); void reg(void (*f)(void));
static void cb(void) { boom(); }
int main(void) { reg(cb); while (wait_request()) work(); return 0; }
