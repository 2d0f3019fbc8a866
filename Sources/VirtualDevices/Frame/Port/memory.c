// The heap of the unit: Lua asks for no more than it has.
#include <stdlib.h>

#include "unit.h"

// Bytes (linker map of v25.080).
#define HEAP 170320
// What is smaller is mostly pointers, which are twice as wide here; what is larger is text and values, as wide as there.
#define SMALL 256

static size_t used;

static size_t cost(size_t size) { return size < SMALL ? size * 2 / 3 : size; }

bool unit_fits(size_t size) { return used + size <= HEAP; }

void *unit_allocate(void *context, void *block, size_t old_size, size_t new_size) {
    if (block == NULL) {
        old_size = 0;
    }
    if (new_size == 0) {
        free(block);
        used -= cost(old_size);
        return NULL;
    }
    size_t old_cost = cost(old_size), new_cost = cost(new_size);
    if (new_cost > old_cost && !unit_fits(new_cost - old_cost)) {
        return NULL;
    }
    void *moved = realloc(block, new_size);
    if (moved != NULL) {
        used += new_cost - old_cost;
    }
    return moved;
}
