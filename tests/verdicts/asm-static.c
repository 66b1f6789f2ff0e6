// EXPECT: unknown
// TWIN: true
// Assembly may change a static variable that its text names, also without saying `memory`, and call a static function.
#include <assert.h>
static int counter = 1, other = 1;
__attribute__((used)) static void change(void) { counter = 2; }
int main(void) {
#ifndef TWIN
    __asm__ volatile("incl counter(%rip)");
    __asm__ volatile("call change" : : : "memory");
#else
    __asm__ volatile("incl other(%rip)");
    __asm__ volatile("movl %%eax, %0" : "=r"(other));
#endif
    assert(counter == 1);
    return 0;
}
