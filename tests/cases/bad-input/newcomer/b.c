int main(void)
{
    int a[2] = {0};
    return a[1];
}
