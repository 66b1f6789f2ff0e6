int x;
extern int nondet(void);
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
    int k = 0;
    f();
    if (nondet())
        goto OUT;
    x = 1;
    while (k < 3) {
        k++;
        x = 1;
        if (k == 2)
            goto NEXT;
        x = 3;
    NEXT: ;
    }
    if (k) {
        x = 3;
    INSIDE: ;
    } else {
        x = 2;
    }
    x = 2;
OUT: ;
}
