#pragma once
#include <stdint.h>
void mp_hal_set_interrupt_char(int c);
// Keeps mphal.h from asking for pins.
#define mp_hal_pin_obj_t void *
