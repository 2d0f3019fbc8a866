// What wire.c and console.c share.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// As the model told it last.
extern struct wire_radio {
    uint8_t flags, places;
    uint16_t payload;
} wire_radio;

// Adds an item to what goes out next.
void wire_put(uint8_t kind, const void *bytes, size_t length);
// Lets the model go on until it lets the interpreter go on.
void wire_exchange(uint8_t why);

// console.c
void console_hear(const uint8_t *bytes, size_t length);
bool console_send(void);
