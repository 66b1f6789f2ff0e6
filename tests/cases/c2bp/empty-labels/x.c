int x;
void f(void)
{
    x = 3;
    if (x > 2)
        goto END;
    x = 2;
END: ;
}
int main(void)
{
    f();
    if (x == 3)
        goto OUT;
    x = 1;
OUT: ;
}
