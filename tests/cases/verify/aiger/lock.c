extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int lock; 
int main(void){ int n=0, old; do { if(lock) reach_error(); lock=1; old=n; if(__VERIFIER_nondet_int()){ lock=0; n++; } } while(n!=old);
 if(!lock) reach_error(); return 0; }
