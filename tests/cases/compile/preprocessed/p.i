# 1 "orig.c"
# 1 "<built-in>"
# 1 "inc.h" 1 3 4
extern int seven(void);
# 2 "orig.c" 2
int main(void) {
  /* comments may survive */
  return seven() -
# 40 "inc.h" 3 4
  (7)
# 9 "orig.c"
  + undeclared_thing;
}
