int first(const int *list)
{
    return list[0];
}
