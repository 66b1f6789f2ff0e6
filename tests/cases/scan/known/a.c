int one(int *p)
{
    return *p;
}

int two(int *p)
{
    return *p; // cwolf: ignore pointer
}
