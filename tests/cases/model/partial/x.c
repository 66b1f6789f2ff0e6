int n;
int main(void)
{
    for (;;)
        n = n + 1;
}
