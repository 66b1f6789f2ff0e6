/* What libssh's build would write: nothing beyond a C library. */
#define GLOBAL_BIND_CONFIG "/etc/ssh/libssh_server_config"
#define GLOBAL_CLIENT_CONFIG "/etc/ssh/ssh_config"
#define HAVE_LIBCRYPTO 1
#define HAVE_OPENSSL_EVP_CHACHA20 1
#define HAVE_STDINT_H 1
#define HAVE_STRTOULL 1
#define HAVE_GCC_THREAD_LOCAL_STORAGE 1
#define WITH_SERVER 1
#define HAVE_COMPILER__FUNC__ 1
