// Nested functions: captured variables, recursion, pointers to them from several activations.
#include <stdio.h>
#include <stdlib.h>
static int apply(int (*f)(int), int n){ return f(n); }
static void each(int *a, int n, void (*f)(int)){ for(int i=0;i<n;i++) f(a[i]); }
static int rec(int depth, int (*prev)(int)){
  int local = depth*10;
  int mine(int x){ return local + x; }
  if (depth==0) return prev(1)*1000 + mine(1);
  int r = rec(depth-1, mine);
  return r + mine(0);
}
int main(void){
  int sum=0, calls=0;
  void add(int x){ sum += x; calls++; }
  int twice(int x){ add(x); return x*2; }
  int fact(int n){ calls++; return n<2?1:n*fact(n-1); }
  add(5); printf("%d\n",sum); printf("%d\n",twice(7)); printf("%d %d\n",sum,calls); printf("%d\n",fact(5)); printf("%d\n",calls);
  int a[]={1,2,3,4}; each(a,4,add); printf("%d %d\n",sum,calls);
  printf("%d\n",apply(twice,10)); printf("%d\n",sum);
  printf("%d\n",rec(3,0));
  int n=4; int vla[n]; for(int i=0;i<n;i++)vla[i]=i*i;
  int get(int i){ return vla[i] + (int)(sizeof vla/sizeof *vla); } printf("%d %d\n",get(3),apply(get,2));
  for(int i=0;i<3;i++){ int sq=i*i; int f(void){ return sq+n; } printf("%d ",f()); } puts("");
  int cmp(const void*x,const void*y){ calls++; return *(const int*)y-*(const int*)x; }
  qsort(a,4,sizeof *a,cmp); printf("%d %d %d %d %d\n",a[0],a[1],a[2],a[3],calls>0);
  struct p { int x,y; } pt={1,2}; struct p swap(void){ struct p r={pt.y,pt.x}; return r; } pt=swap(); printf("%d %d\n",pt.x,pt.y);
  int outer2(int k){ int inner(int j){ sum+=k; return j+k+n; } return inner(1)+inner(2); } printf("%d %d\n",outer2(100),sum);
  int (*tab[2])(int)={twice,fact}; printf("%d %d\n",tab[0](1),tab[1](3));
  int noargs(){ return 42; } printf("%d %d\n", noargs(), (&twice)==twice);
  static int st=3; int usest(void){ return ++st; } usest(); printf("%d\n",usest());
  double avg(double *v,int m){ double s=0; double term(int i){ return v[i]/m; } for(int i=0;i<m;i++) s+=term(i); return s;} double dv[]={1,2,3,4}; printf("%g\n",avg(dv,4));
  return 0; }
