int first(const int *list);

int main(void)
{
    int one = 1;
    return first(&one);
}
