int input(void); void out(int x);
int main(void){ for(;;){ int x = input(); int y; if (x < 0 || x > 2) continue; y = x; out(y);} }
