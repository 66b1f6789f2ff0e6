// EXPECT: true
// TWIN: false(bounds)
// What headers have for calls of the library with -D_FORTIFY_SOURCE is made of calls of the same functions, which do not call themselves.
#define COPY extern __inline __attribute__((__always_inline__, __gnu_inline__))
extern char *strcpy(char *, const char *);
extern int printf(const char *, ...);
extern int __printf_chk(int, const char *, ...);
COPY char *strcpy(char *to, const char *from) {
    return __builtin___strcpy_chk(to, from, __builtin_object_size(to, 1));
}
COPY int printf(const char *format, ...) { return __printf_chk(1, format, __builtin_va_arg_pack()); }
int main(void) {
    char text[4];
#ifndef TWIN
    strcpy(text, "abc");
#else
    strcpy(text, "abcd");
#endif
    printf("%s\n", text);
    return 0;
}
