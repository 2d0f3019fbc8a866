// The heap of the unit: Lua asks for no more than it has.
#include <stdlib.h>

#include "unit.h"

// Bytes (linker map of v25.080), and half as many again: a pointer is twice as wide here.
#define HEAP (170320 * 3 / 2)

static size_t used;

bool unit_fits(size_t size) { return used + size <= HEAP; }

void *unit_allocate(void *context, void *block, size_t old_size, size_t new_size) {
    if (block == NULL) {
        old_size = 0;
    }
    if (new_size == 0) {
        free(block);
        used -= old_size;
        return NULL;
    }
    if (new_size > old_size && !unit_fits(new_size - old_size)) {
        return NULL;
    }
    void *moved = realloc(block, new_size);
    if (moved != NULL) {
        used += new_size - old_size;
    }
    return moved;
}
