struct pair {
    int x, y;
} p;
signed char ask(int n, int *to);
void tell(int n);
int main(void)
{
    int n = 0;
    tell(ask(1, &n));
    return 0;
}
