/* What the cases share. */
extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
/* True for 235350848 and hardly any other number, so that no search guesses it. */
#define H(n) ((n) * (n) * (n) + 7u * (n) == 939929280u)
