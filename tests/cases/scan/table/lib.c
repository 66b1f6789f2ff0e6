/* Holds whatever is passed. */
int clamp(int n, int low, int high)
{
    return n < low ? low : n > high ? high : n;
}

/* Fails for null only. */
int first(const int *list)
{
    return list[0];
}

/* Needs ten elements, which its only caller has. */
static int tenth(const int *list)
{
    return list[9];
}

int end_of_table(void)
{
    static const int table[10] = {1, 2, 3};
    return tenth(table);
}

/* Needs the element, and a place for it. */
void put(int *list, unsigned count, int value)
{
    if (count > 0)
        list[count - 1] = value;
}

/* Nothing excludes this but a condition on n that nobody guesses. */
int share(int total, int n)
{
    return total / n;
}
