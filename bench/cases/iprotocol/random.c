/* Chooses for the compiled harness, by the random numbers of SEED, and ends it after CHOICES of them. */
#include <stdio.h>
#include <stdlib.h>

unsigned
any (void)
{
  static long left;

  if (left == 0)
    {
      srand (atoi (getenv ("SEED")));
      left = atol (getenv ("CHOICES"));
    }
  if (--left == 0)
    exit (0);
  return rand ();
}

/* What proti.c only calls at start-up and for messages. */
void
ulog (void)
{
  abort ();
}

long
iconn_baud (void)
{
  abort ();
}
