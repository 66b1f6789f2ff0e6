int main(void)
{
    int i;
    for (i = 0; i < 100; i++)
        ;
    return 0;
}
