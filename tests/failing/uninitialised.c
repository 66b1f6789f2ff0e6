// verify: --property uninitialised
int main(void)
{
    int x;
    if (x)
        return 1;
    return 0;
}
