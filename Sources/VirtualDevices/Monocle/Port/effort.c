// The time of the processor: every basic block of MicroPython's core, and every byte that it moves.
#include <string.h>

#include "py/mpconfig.h"

// The nRF52832 at 64 MHz takes about 36 ns for each instruction of this build on the host (docs/virtual-monocle.md).
#define BLOCK_NANOSECONDS 200
// The memory manager's loops have shorter blocks.
#define COLLECTOR_BLOCK_NANOSECONDS 144
// The firmware's C library is newlib-nano, which goes byte by byte.
#define MOVE_NANOSECONDS 110
#define FILL_NANOSECONDS 70

// The compiler calls it at the start of each block of the core (Makefile).
void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void) { unit_budget -= BLOCK_NANOSECONDS; }

// What the memory manager calls instead (collector_effort.h).
void unit_collector_block(void);

void unit_collector_block(void) { unit_budget -= COLLECTOR_BLOCK_NANOSECONDS; }

// The core calls these in place of the library's functions (Makefile).
void *unit_memcpy(void *to, const void *from, size_t count);
void *unit_memmove(void *to, const void *from, size_t count);
void *unit_memset(void *to, int byte, size_t count);
int unit_memcmp(const void *one, const void *other, size_t count);

void *unit_memcpy(void *to, const void *from, size_t count) {
    unit_budget -= (int64_t)count * MOVE_NANOSECONDS;
    return memcpy(to, from, count);
}

void *unit_memmove(void *to, const void *from, size_t count) {
    unit_budget -= (int64_t)count * MOVE_NANOSECONDS;
    return memmove(to, from, count);
}

void *unit_memset(void *to, int byte, size_t count) {
    unit_budget -= (int64_t)count * FILL_NANOSECONDS;
    return memset(to, byte, count);
}

int unit_memcmp(const void *one, const void *other, size_t count) {
    unit_budget -= (int64_t)count * MOVE_NANOSECONDS;
    return memcmp(one, other, count);
}
