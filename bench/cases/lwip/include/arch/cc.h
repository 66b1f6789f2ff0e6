/* How lwIP speaks to the machine: it does not. */
#define LWIP_PLATFORM_DIAG(x)
#define LWIP_PLATFORM_ASSERT(x)
#define LWIP_RAND() 0
typedef unsigned sys_prot_t;
