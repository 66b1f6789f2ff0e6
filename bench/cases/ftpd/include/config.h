/* What inetutils' configure would find on a current GNU/Linux system, as far as its ftpd asks; no PAM, no TCP wrappers. */
#define _GNU_SOURCE 1
#define HAVE_CONFIG_H 1
#define PACKAGE "inetutils"
#define PACKAGE_NAME "inetutils"
#define PACKAGE_VERSION "2.4"
#define PACKAGE_BUGREPORT ""
#define STDC_HEADERS 1
#define HAVE_FORK 1
#define HAVE_CRYPT 1
#define HAVE_CRYPT_H 1
#define HAVE_TZSET 1
#define HAVE_INTTYPES_H 1
#define HAVE_STDINT_H 1
#define HAVE_SHADOW_H 1
#define HAVE_SYS_PARAM_H 1
#define HAVE_DECL_ENVIRON 1
#define TIME_WITH_SYS_TIME 1
#define _GL_ATTRIBUTE_PURE
#define _GL_ATTRIBUTE_MALLOC
#define _GL_ATTRIBUTE_DEALLOC_FREE
#define _GL_ATTRIBUTE_RETURNS_NONNULL
#define _GL_ATTRIBUTE_MAYBE_UNUSED
#define OPTION_NO_TRANS 0
#define PATH_FTPWELCOME "/etc/ftpwelcome"
#define PATH_FTPLOGINMESG "/etc/motd"
#define PATH_FTPUSERS "/etc/ftpusers"
#define PATH_FTPCHROOT "/etc/ftpchroot"
#define PATH_FTPDPID "/run/ftpd.pid"
#define PATH_DEVNULL "/dev/null"
#define PATH_NOLOGIN "/etc/nologin"
#define PATH_BSHELL "/bin/sh"
