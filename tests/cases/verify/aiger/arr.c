#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int a[32];
int main(void){ int i; for(i=0;i<32;i++) a[i]=i*2; int k=__VERIFIER_nondet_int(); if(k<0||k>=32) return 0; 
#ifdef BUG
 assert(a[k]!=34);
#else
 assert(a[k]%2==0);
#endif
 return 0; }
