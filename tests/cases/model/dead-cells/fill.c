extern int __VERIFIER_nondet_int(void);
int row[4];
int main(void)
{
    int i, sum;
    for (;;) {
        for (i = 0; i < 4; i++)
            row[i] = __VERIFIER_nondet_int() == 0;
        sum = 0;
        for (i = 0; i < 4; i++)
            sum = sum + row[i];
        if (sum == 3)
            return 0;
    }
}
