// Complex numbers: every operator on every kind of part, and what becomes of zeros, infinities and NaNs.
#include <stdio.h>
#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
static double vals[] = {0.0,-0.0,1.0,-1.5,3.25,1e300,-1e-300,INFINITY,-INFINITY,NAN,5e-324,1.7976931348623157e308,0.1};
#define N (sizeof vals/sizeof *vals)
static void show(const char *w, double x){ if (x!=x) printf(" %s nan", w); else printf(" %s %a", w, x); }
static unsigned long h=14695981039346656037ul;
static void mix(double x){ if (x!=x) x=12345; unsigned long b; memcpy(&b,&x,8); h=(h^b)*1099511628211ul; }
struct s { int a; _Complex float z; char c; double _Complex w[2]; };
_Complex double sq(_Complex double z){ return z*z; }
static _Complex double g = 1.0 + 2.0i, gq = (1.0+2.0i)*(3.0-1.0i), arr[] = {1, 2.5i, 3-1i};
static struct s gs = {1, 2.0f+3.0if, 'x', {1.0i, 4}};
_Complex int gi = 3+4i;
double sum(int n, ...){ va_list ap; va_start(ap,n); double r=0; for(int i=0;i<n;i++){ _Complex double z=va_arg(ap,_Complex double); r+=creal(z)*10+cimag(z);} int last=va_arg(ap,int); _Complex float f=va_arg(ap,_Complex float); r+=last+crealf(f)*1000; va_end(ap); return r;}
int calls; _Complex double f(void){calls++; return 2.0-1.0i;}
int main(void){
  for(unsigned i=0;i<N;i++)for(unsigned j=0;j<N;j++)for(unsigned k=0;k<N;k++)for(unsigned l=0;l<N;l++){
    _Complex double a=CMPLX(vals[i],vals[j]), b=CMPLX(vals[k],vals[l]);
    _Complex double m=a*b, q=a/b; mix(creal(m));mix(cimag(m));mix(creal(q));mix(cimag(q));
    if ((i * 7 + j * 5 + k * 3 + l) % 1111 == 0){ show("m",creal(m));show("",cimag(m));show("q",creal(q));show("",cimag(q)); puts("");}
  }
  printf("%lx\n",h);
  for(unsigned i=0;i<N;i++)for(unsigned j=0;j<N;j++)for(unsigned k=0;k<N;k++)for(unsigned l=0;l<N;l+=2){
    _Complex float a=CMPLXF(vals[i],vals[j]), b=CMPLXF(vals[k],vals[l]);
    _Complex float m=a*b, q=a/b; mix(crealf(m));mix(cimagf(m));mix(crealf(q));mix(cimagf(q));
    _Complex long double la=CMPLXL(vals[i],vals[j]), lb=CMPLXL(vals[k],vals[l]);
    _Complex long double lm=la*lb, lq=la/lb; mix(creall(lm));mix(cimagl(lm));mix(creall(lq));mix(cimagl(lq));
  }
  printf("%lx\n",h);
  _Complex double z=1.5-2.5i; double d=3;
  z+=d; show("+",creal(z));show("",cimag(z)); z-=2.0i; show("-",creal(z));show("",cimag(z));
  z*=d; show("*",creal(z));show("",cimag(z)); z/=2; show("/",creal(z));show("",cimag(z)); puts("");
  z=d-z; show("",creal(z));show("",cimag(z)); z=d/z; show("",creal(z));show("",cimag(z)); z=d*z; puts("");
  show("",creal(z));show("",cimag(z)); z=-z; show("",creal(z));show("",cimag(z)); z=~z; show("",creal(z));show("",cimag(z)); puts("");
  z++; --z; z--; show("",creal(z));show("",cimag(z)); __real__ z=7; __imag__ z += 2; show("",creal(z));show("",cimag(z)); puts("");
  d = z; int ii = z; _Bool bb = 0.0+0.5i; show("",d); printf("%d %d %d\n",ii,bb,(_Bool)(0*z));
  printf("%d %d %d %d\n", z==z, z!=conj(z), z==7.0, (7.0+0i)==7);
  printf("%d %d %d\n", !z, z&&1, z?5:6);
  show("",creal(g));show("",cimag(g));show("",creal(gq));show("",cimag(gq)); show("",cimag(arr[1])); show("",cimag(arr[2])); puts("");
  printf("%d %g %g %c %g %g %zu %zu\n",gs.a,(double)crealf(gs.z),(double)cimagf(gs.z),gs.c,cimag(gs.w[0]),creal(gs.w[1]),sizeof gs,_Alignof(_Complex long double));
  printf("%g\n", sum(2, 1.0+2.0i, f(), 42, 3.0f+0.0fi));
  z=f()*f()+f(); show("",creal(z));show("",cimag(z)); printf("%d\n",calls);
  _Complex int a=5+3i,b=2-7i; _Complex int c=a*b; printf("%d %d",__real__ c,__imag__ c); c=a/b; printf(" %d %d",__real__ c,__imag__ c);
  for(int i=-3;i<4;i++)for(int j=-3;j<4;j++) if(i||j){ _Complex int w=i; __imag__ w=j; c=(100-37i)/w; printf(" %d,%d",__real__ c,__imag__ c);} puts("");
  c=a+1; c-=b; printf("%d %d %d %d\n",__real__ c,__imag__ c,__real__ ~c,__imag__ ~c);
  _Complex unsigned char uc=250+3i; uc+=10; printf("%d %d\n",__real__ uc,__imag__ uc);
  _Complex double p=sq(1+1i); show("",creal(p));show("",cimag(p));
  _Complex double *pp=&p; *pp*=*pp; pp[0]+=1; show("",creal(p));show("",cimag(p));
  p = 0 ?: 3+4i; show("",creal(p)); p = p ?: 9; show("",cimag(p)); show("",cabs(p)); show("",carg(p)); puts("");
  p=cproj(CMPLX(-INFINITY,-3)); show("",creal(p));show("",cimag(p)); puts("");
  printf("%zu %zu %d\n", sizeof(1.0if), sizeof(1+1i), __builtin_classify_type(p));
  static const _Complex float cf = 2.0f-1.0if; static _Complex double fromcf = 3.0; show("",crealf(cf*cf)); show("",creal(fromcf)); puts("");
  volatile _Complex double v=1+2i; v*=v; show("",creal(v)); show("",cimag(v)); puts("");
  _Complex double mat[2][2]={{1,2i},{3,4}}; _Complex double t=0; for(int i=0;i<2;i++)for(int j=0;j<2;j++) t+=mat[i][j]*mat[j][i]; show("",creal(t));show("",cimag(t)); puts("");
  __typeof__(__real__ t) rr=1.25; show("",rr); printf("%d\n",_Generic(t,_Complex float:1,_Complex double:2,default:3));
  return 0; }
