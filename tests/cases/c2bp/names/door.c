#include <stdbool.h>
#define LIMIT 3
#define LAST (LIMIT - 1)
#define SUM 1 + 1
#define TWICE(x) ((x) + (x))
typedef unsigned char byte;
typedef enum { CLOSED, OPEN = 4, BROKEN } state;
typedef struct door { state state; bool locked; struct door *next; } door_t, *doors;
door_t door;

int main(void) {
    byte tries = 0;
    doors all = &door;
    while (tries < LIMIT) {
        all->state = OPEN;
        all->locked = false;
OPENED: tries++;
    }
    return all->state;
}
