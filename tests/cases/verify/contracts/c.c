int balance;

/*@ requires 0 < n <= 100;
  @ requires 0 <= balance <= 1000;
  @ assigns balance;
  @ ensures balance == \old(balance) + n;
  @ ensures \result == n;
  @*/
int deposit(int n)
{
    balance += n;
    return n;
}

/*@ requires \valid(a + (0 .. n - 1));
  @ requires n <= 4;
  @ assigns a[0 .. n - 1];
  @ ensures \forall integer i; 0 <= i < 4 ==> i >= n || \result >= 0;
  @*/
int clear(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = 0;
    return 0;
}

//@ ensures \result >= 0;
int magnitude(int n)
{
    return n < 0 ? -n : n;
}

/*@ behavior low:
  @   assumes n < 0;
  @   ensures \result == 0;
  @ behavior high:
  @   assumes n >= 0;
  @   ensures \result == n;
  @*/
int ramp(int n)
{
    if (n < 0)
        n = 0;
    return n;
}

int twice(void)
{
    balance = 0;
    deposit(5);
    return balance;
}

int wrong(int n)
{
    balance = 0;
    return deposit(n);
}

int cbmc(int *p, int n)
__CPROVER_requires(__CPROVER_is_fresh(p, sizeof(*p)))
__CPROVER_requires(n > 0)
__CPROVER_assigns(*p)
__CPROVER_ensures(*p == __CPROVER_old(*p) / n)
__CPROVER_ensures(__CPROVER_return_value == n)
{
    *p = *p / n;
    return n;
}

int main(void)
{
    int list[2];
    clear(list, 2);
    return twice() == 5 ? 0 : wrong(7);
}
