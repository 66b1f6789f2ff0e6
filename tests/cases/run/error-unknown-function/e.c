int launch_rocket(int);
int main(void) { return launch_rocket(1); }
