/* Each macro chooses one step on constants. */
int a[4];
int main(void)
{
    int x = 3;
#ifdef ADD
    x = 0x7fffffff + 1;
#endif
#ifdef NEGATE
    x = -(-0x7fffffff - 1);
#endif
#ifdef QUOTIENT
    x = (-0x7fffffff - 1) / -1;
#endif
#ifdef DROPPED
    (void)(x + 0x7fffffff);
#endif
#ifdef SHIFT
    x = 1 << 40;
#endif
#ifdef REMAINDER
    x = 5 % 0;
#endif
#ifdef INDEX
    a[7] = x;
#endif
#ifdef UNEVALUATED
    x = sizeof(0x7fffffff + 1) + (1 ? 2 : 1 / 0) + (0 && 1 << 40) + a[3];
#endif
    return x + a[0];
}
