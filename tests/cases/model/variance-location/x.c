int out;
static int same(int n) { return n; }
int main(void)
{
    out = same(1);
    out = same(2);
    return 0;
}
