_Static_assert(sizeof(long) == 4 && sizeof(void *) == 4 && sizeof(long double) == 12, "ILP32");
struct s { char c; long long l; };
_Static_assert(sizeof(struct s) == 12, "long long is aligned to 4 in structs");
int main(void) { return sizeof(struct s) - 12; }
