#include "fuzzer.h"

#include <string.h>

/* What the compiler's constructors say: one counter for each edge, and for each its address and flags. The linker sends them here
   (--wrap, Tools/fuzz). */
struct place {
    uintptr_t address, flags;
};

static uint8_t *first_counter, *last_counter;
static const struct place *first_place;

void __real___sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop);
void __real___sanitizer_cov_pcs_init(const struct place *start, const struct place *stop);

void __wrap___sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *stop) { first_counter = start, last_counter = stop; }
void __wrap___sanitizer_cov_pcs_init(const struct place *start, const struct place *stop) { first_place = start, (void)stop; }

/* As many as libFuzzer has room for, and one for the next. */
enum { window_limit = 4000 };
static struct {
    size_t from, to;
} windows[window_limit];
static size_t window_count;

size_t watch_counters_near_those_reached(size_t reach) {
    size_t all = (size_t)(last_counter - first_counter), watched = 0;
    for (size_t index = 0; index < all; index++) {
        if (first_counter[index] == 0) continue;
        size_t from = index > reach ? index - reach : 0, to = index + reach < all ? index + reach : all;
        if (window_count > 0 && (from <= windows[window_count - 1].to || window_count == window_limit)) {
            windows[window_count - 1].to = to;
        } else {
            windows[window_count].from = from, windows[window_count].to = to;
            window_count++;
        }
    }
    memset(first_counter, 0, all);
    for (size_t index = 0; index < window_count; index++) {
        size_t from = windows[index].from, to = windows[index].to;
        __real___sanitizer_cov_8bit_counters_init(first_counter + from, first_counter + to);
        __real___sanitizer_cov_pcs_init(first_place + from, first_place + to);
        watched += to - from;
    }
    return watched;
}

size_t counters_missed(void) {
    size_t missed = 0, index = 0;
    for (size_t window = 0; window <= window_count; window++) {
        size_t end = window < window_count ? windows[window].from : (size_t)(last_counter - first_counter);
        for (; index < end; index++) missed += first_counter[index] != 0;
        if (window < window_count) index = windows[window].to;
    }
    return missed;
}
