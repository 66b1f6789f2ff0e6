struct node {
    struct node *next;
    int value;
};

int visits;

void log_it(int value);

int sum(const struct node *list, struct node *other, int (*rate)(int), unsigned depth)
{
    int total = 0;
    visits++;
    while (list && depth-- > 0) {
        total += rate(list->value);
        list = list->next;
    }
    log_it(total);
    return total + other->value;
}
