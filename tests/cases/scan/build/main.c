int half(int n);

int main(void)
{
    int list[SIZE] = {0};
    return list[half(SIZE * 2)];
}
