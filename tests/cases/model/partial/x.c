int n;
int main(void)
{
    while (n != 1000000)
        n = n + 1;
}
