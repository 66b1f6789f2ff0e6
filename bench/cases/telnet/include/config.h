/* What inetutils' configure would find on a current GNU/Linux system, as far as telnetd's state.c asks; no authentication or encryption. */
#define _GNU_SOURCE 1
#include <stdbool.h>
#define HAVE_CONFIG_H 1
#define _GL_CONFIG_H_INCLUDED 1
#define TERMCAP 1
#define _GL_INLINE static inline
#define _GL_EXTERN_INLINE static inline
#define _GL_INLINE_HEADER_BEGIN
#define _GL_INLINE_HEADER_END
#define _GL_ATTRIBUTE_PURE
#define _GL_ATTRIBUTE_CONST
#define _GL_ATTRIBUTE_MALLOC
#define _GL_ATTRIBUTE_NODISCARD
#define _GL_ATTRIBUTE_DEALLOC(f, i)
#define _GL_ATTRIBUTE_DEALLOC_FREE
#define _GL_ATTRIBUTE_ALLOC_SIZE(args)
#define _GL_ATTRIBUTE_RETURNS_NONNULL
#define _GL_ATTRIBUTE_NONNULL(args)
#define _GL_ATTRIBUTE_FORMAT(spec)
#define _GL_ATTRIBUTE_FORMAT_PRINTF(a, b)
#define _GL_ATTRIBUTE_MAYBE_UNUSED
#define _GL_ATTRIBUTE_COLD
#define _Noreturn __attribute__((noreturn))
