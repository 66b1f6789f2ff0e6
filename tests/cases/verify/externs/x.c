void reach_error(void);
void fill(int *p);
int main(void)
{
    int x = 5;
    fill(&x);
    if (x != 5)
        reach_error();
    return 0;
}
