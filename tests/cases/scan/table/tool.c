int clamp(int n, int low, int high);
int share(int total, int n);

static int pick(const int *list, int at)
{
    return list[at];
}

int main(void)
{
    int list[3] = {1, 2, 3};
    return pick(list, clamp(share(8, 2), 0, 3));
}
