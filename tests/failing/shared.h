#define SHARED 3
