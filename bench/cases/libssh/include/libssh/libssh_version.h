/* Written by libssh's build; nothing here depends on it. */
#define LIBSSH_VERSION_MAJOR 0
#define LIBSSH_VERSION_MINOR 0
#define LIBSSH_VERSION_MICRO 0
#define SSH_VERSION_INT(a, b, c) ((a) << 16 | (b) << 8 | (c))
#define SSH_VERSION_DOT(a, b, c) a##.##b##.##c
#define SSH_VERSION(a, b, c) SSH_VERSION_DOT(a, b, c)
#define LIBSSH_VERSION_INT SSH_VERSION_INT(0, 0, 0)
#define LIBSSH_VERSION SSH_VERSION(0, 0, 0)
