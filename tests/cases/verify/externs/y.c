void reach_error(void);
struct list { int n; struct list *next; };
void change(struct list *list);
int main(void)
{
    struct list b = {2, 0}, a = {1, &b};
    change(&a);
    if (b.n != 2)
        reach_error();
    return 0;
}
