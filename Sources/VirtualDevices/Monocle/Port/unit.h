// What the parts of the virtual Monocle's interpreter share.
//
// The program runs in lockstep with the model of the unit around it (MonocleInterpreter.swift): it computes only between a message
// that says "go on" and the message with which it answers, so no verdict depends on how fast the host is. Every message is
// one packet on descriptor 3, little-endian.
//
// Go on:   u32 budget in µs, u64 µs since the chip's reset, u8 link (1 connected, 2 REPL subscribed, 4 data subscribed),
//          u16 payload (0 before the first MTU exchange since boot), u8 free places in the notification queue, items.
// Answer:  u32 µs used, u8 why (see unit_why), items.
// Item:    u8 kind, u16 length, bytes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "py/obj.h"

enum unit_why {
    UNIT_WHY_BUDGET = 0,   // more to compute
    UNIT_WHY_WAIT = 1,     // nothing to do for the µs of item W, or until something comes
    UNIT_WHY_ANSWER = 2,   // a request waits for its answer
    UNIT_WHY_ROOM = 3,     // output waits for a place in the notification queue
};

enum unit_operation {
    UNIT_HELLO = 1, UNIT_DEVICE, UNIT_ERASE, UNIT_PROGRAM, UNIT_READ, UNIT_FPGA_READ, UNIT_FPGA_WRITE, UNIT_FPGA_RUN,
    UNIT_RESET, UNIT_TOUCH, UNIT_RECORD, UNIT_MICROPHONE, UNIT_WAKE_CAMERA, UNIT_SLEEP_CAMERA, UNIT_LED, UNIT_DRAW, UNIT_POWER,
};

enum unit_reset { UNIT_RESET_SOFTWARE = 0, UNIT_RESET_BOOTLOADER, UNIT_RESET_SAFE_MODE, UNIT_RESET_CRASHED };

// A module whose functions stand in the table.
#define MODULE(identifier, name, table) \
    static MP_DEFINE_CONST_DICT(identifier##_globals, table); \
    const mp_obj_module_t identifier = {.base = {&mp_type_module}, .globals = (mp_obj_dict_t *)&identifier##_globals}; \
    MP_REGISTER_MODULE(name, identifier);

extern bool unit_is_safe_mode;
extern const char unit_help_text[];

// wire.c
void unit_charge(uint32_t microseconds);
uint64_t unit_now(void);
// Asks the hardware. `acts` tells whether callbacks and interrupts act meanwhile. Returns the answer's length.
size_t unit_request(int operation, const void *data, size_t length, bool acts, void *answer, size_t room);
void unit_reset(int kind) __attribute__((noreturn));
bool unit_is_subscribed(bool data);
uint16_t unit_payload(void);

// console.c
// Waits as the firmware waits: sends output, runs callbacks, raises KeyboardInterrupt.
void unit_wait(uint32_t microseconds);
// False: the queue is full.
bool unit_notify_data(const void *data, size_t length);

// confine.c
// For good: from here on the process opens nothing but what lies in these folders, and starts nothing.
void unit_confine(const int *folders, size_t count);
// Confines the process to a folder, tries each way out and prints which are held: for a test.
int unit_show_confinement(const char *folder);

// radio.c
void unit_data_received(const uint8_t *bytes, size_t length);
void unit_touched(uint8_t pad);
// Within a collection, when all that Python holds is marked: notes which callbacks nothing else holds.
void unit_collect_callbacks(void);
extern unsigned unit_start_count;

// clock.c: seconds as the device's processor converts them: negative ones are 0, large ones the largest.
uint32_t unit_milliseconds(float seconds);

// files.c
void unit_files_open(const char *files, const char *scratch);
void unit_files_start(void);
