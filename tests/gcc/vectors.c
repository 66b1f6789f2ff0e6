// Vectors: operators, subscripts, casts, shuffles, conversions, initialisers, arguments.
#include <stdio.h>
#include <string.h>
typedef int v4si __attribute__((vector_size(16)));
typedef unsigned v4su __attribute__((vector_size(16)));
typedef float v4sf __attribute__((vector_size(16)));
typedef double v2df __attribute__((vector_size(16)));
typedef long long v2di __attribute__((vector_size(16)));
typedef signed char v16qi __attribute__((vector_size(16)));
typedef unsigned char v16qu __attribute__((vector_size(16)));
typedef short v8hi __attribute__((vector_size(16)));
typedef unsigned short v4hu __attribute__((vector_size(8)));
typedef int v8si __attribute__((vector_size(32)));
static void p4(const char*n, v4si v){ printf("%s %d %d %d %d\n",n,v[0],v[1],v[2],v[3]); }
static void pf(const char*n, v4sf v){ printf("%s %g %g %g %g\n",n,v[0],v[1],v[2],v[3]); }
static void pb(const char*n, v16qi v){ printf("%s",n); for(int i=0;i<16;i++)printf(" %d",v[i]); puts(""); }
v4si g={1,-2,3}; static v4sf gf={1.5f,2.5f,0,4}; v4si ga[2]={{1,2,3,4},{5,6,7,8}};
v4si gc = (v4si){1,2,3,4}; v4si gsum;
struct s { char c; v4si v; short t; } gs={'x',{9,8,7,6},5};
v4si add(v4si a, v4si b){ return a+b; }
union u { v4si v; int i[4]; unsigned char b[16]; };
int main(void){
  v4si a={1,2,3,4}, b={10,-20,30,40};
  p4("add",a+b);p4("sub",a-b);p4("mul",a*b);p4("div",b/a);p4("rem",b%a);p4("and",a&b);p4("or",a|b);p4("xor",a^b);
  p4("shl",a<<2);p4("shr",b>>a);p4("neg",-a);p4("not",~a);p4("lt",a<b);p4("eq",a==a);p4("sc",3*a+1);p4("sc2",100/a);
  v4si c=a; c+=b; c*=2; c<<=1; c[2]=77; c[1]+=5; p4("c",c); c++; p4("c++",c); p4("c--",c--); p4("c",c);
  int i=3; c[i]=-1; p4("ci",c); printf("%d\n", (a+b)[i]);
  v4sf f={1.5f,2,3,-4}, h={0.5f,0.25f,2,8}; pf("f+",f+h);pf("f*",f*h);pf("f/",f/h);pf("2f",2*f);pf("-f",-f); p4("f<",f<h); p4("fbits",(v4si)f);
  pf("bf",(v4sf)(a+0x3f800000)); 
  v16qi q=(v16qi)b; pb("q",q); pb("q+q",q+q); pb("qcmp",q>(v16qi){0}); p4("back",(v4si)q); v2di d=(v2di)b; printf("%lld %lld\n",d[0],d[1]); p4("dback",(v4si)d); pb("d",(v16qi)d);
  v16qu qu=(v16qu)q; qu=qu+200; printf("%d %d\n",qu[0],qu[5]); v8hi hh=(v8hi)q; hh=hh*hh; pb("hh",(v16qi)hh);
  p4("g",g);pf("gf",gf);p4("ga",ga[1]);p4("gc",gc);p4("gsum",gsum);p4("gs",gs.v); printf("%zu %zu %zu %c %d\n",sizeof gs,_Alignof(v4si),sizeof(v8si),gs.c,gs.t);
  p4("call",add(a,add(b,a)));
  p4("sh1",__builtin_shuffle(a,(v4si){3,2,1,0})); p4("sh2",__builtin_shuffle(a,b,(v4si){0,4,7,3})); v4si m={1,i,6,9}; p4("sh3",__builtin_shuffle(a,b,m)); p4("sh4",__builtin_shuffle(a,m));
  p4("shv",__builtin_shufflevector(a,b,0,5,2,7)); v8si w=__builtin_shufflevector(a,b,0,1,2,3,4,5,6,7); printf("%d %d\n",w[3],w[7]);
  pf("cv",__builtin_convertvector(a,v4sf)); p4("cv2",__builtin_convertvector(f*2.75f,v4si)); v2df dd={1.5,-2.75}; printf("%g %g\n",(dd*dd)[0],(dd*dd)[1]);
  union u u; u.v=a*1000; printf("%d %d %d\n",u.i[2],u.b[0],u.b[1]);
  v4hu hu=(v4hu)0x0001000200030004ULL; printf("%d %d %llx\n",hu[0],hu[3],(unsigned long long)(hu+1));
  v4si *pv=&a; (*pv)[0]=42; *pv+=1; p4("pv",*pv); int *pi=(int*)&a; printf("%d\n",pi[1]); v4si mc; memcpy(&mc,(int[]){4,3,2,1},16); p4("mc",mc);
  p4("cond", i>2?a:b); p4("cmp", (a>b)&a); v4su us={1,2,3,0xffffffffu}; us+=1; printf("%u %u\n",us[3],us[0]); p4("mixed",(v4si)us+a);
  v4si zero={}; p4("z",zero); v4si arr[3]={{1},{2,2},a}; p4("arr",arr[2]); p4("arr",arr[1]);
  static v4si st={5,5,5,5}; st-=a; p4("st",st); const v4si k={1,1}; p4("k",k+(v4si){0,7});
  float acc=0; for(int j=0;j<4;j++)acc+=f[j]; printf("%g\n",acc);
  return 0;}
