int items[4], count;

static void push(int n)
{
    if (count < 4)
        items[count++] = n;
}

int main(void)
{
    push(1);
    return 0;
}
