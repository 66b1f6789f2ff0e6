// Overflow of 128-bit integers, in every combination of signs and results.
#include <stdio.h>
typedef __int128 s; typedef unsigned __int128 u;
static s sv[]={0,1,-1,5,-7,((s)1<<126),((s)1<<126)-1+((s)1<<126),-((s)1<<126)*2,((s)1<<64)-1,-((s)1<<63),(s)1<<65};
static u uv[]={0,1,2,~(u)0,~(u)0>>1,(u)1<<127,((u)1<<64)-1,(u)1<<64,12345};
#define N(a) (int)(sizeof a/sizeof*a)
static unsigned long h=1; static void mix(int o,u r){ h=h*31+o; h=h*1000003+(unsigned long)r; h=h*1000003+(unsigned long)(r>>64); }
int main(void){ s r; u q; long l; unsigned i; 
for(int a=0;a<N(sv);a++)for(int b=0;b<N(sv);b++){ int o; o=__builtin_add_overflow(sv[a],sv[b],&r);mix(o,r); o=__builtin_sub_overflow(sv[a],sv[b],&r);mix(o,r); o=__builtin_mul_overflow(sv[a],sv[b],&r);mix(o,r); o=__builtin_mul_overflow(sv[a],sv[b],&q);mix(o,q);o=__builtin_sub_overflow(sv[a],sv[b],&q);mix(o,q); o=__builtin_add_overflow(sv[a],sv[b],&l);mix(o,l); o=__builtin_mul_overflow(sv[a],sv[b],&i);mix(o,i);}
printf("%lx\n",h);
for(int a=0;a<N(uv);a++)for(int b=0;b<N(uv);b++){ int o; o=__builtin_add_overflow(uv[a],uv[b],&q);mix(o,q); o=__builtin_sub_overflow(uv[a],uv[b],&q);mix(o,q); o=__builtin_mul_overflow(uv[a],uv[b],&q);mix(o,q); o=__builtin_sub_overflow(uv[a],uv[b],&r);mix(o,r); o=__builtin_mul_overflow(uv[a],(int)b-4,&r);mix(o,r); o=__builtin_add_overflow(uv[a],-b,&l);mix(o,l); mix(__builtin_add_overflow_p(uv[a],uv[b],(s)0),0);}
printf("%lx\n",h); return 0; }
