/* TCP over IPv4 alone, without an operating system; memory from malloc. */
#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_IPV4 1
#define LWIP_IPV6 0
#define LWIP_TCP 1
#define LWIP_UDP 0
#define LWIP_RAW 0
#define LWIP_ICMP 0
#define LWIP_ARP 0
#define LWIP_NETCONN 0
#define LWIP_SOCKET 0
#define LWIP_STATS 0
#define LWIP_TIMERS 0
#define MEM_LIBC_MALLOC 1
#define MEMP_MEM_MALLOC 1
#define MEM_ALIGNMENT 8
#define CHECKSUM_GEN_TCP 0
#define CHECKSUM_CHECK_TCP 0
#define TCP_CALCULATE_EFF_SEND_MSS 0
#define TCP_QUEUE_OOSEQ 0
#define TCP_MSS 536
#define LWIP_NOASSERT 1
/* Each connection begins with the same number, so that the model is finite. */
#define LWIP_HOOK_TCP_ISN(local, local_port, remote, remote_port) 1000
