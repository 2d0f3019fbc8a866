#include <stddef.h>
#include <stdint.h>

/* libFuzzer's own loop, for a program that has a main of its own. */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));

/* Lets libFuzzer look at the counters near those that have counted since the start of the program, and sets all to 0. It looks at each of
   its counters after each input, and the program has more than a million. Returns how many it looks at. To be called once, before the loop. */
size_t watch_counters_near_those_reached(size_t reach);
/* Of those that it does not look at, how many have counted. */
size_t counters_missed(void);
