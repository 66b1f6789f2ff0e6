void a(void); int main(void) { a(); }
