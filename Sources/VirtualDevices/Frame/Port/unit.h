// What the parts of the virtual Frame's interpreter share.
//
// The program runs in lockstep with the model of the unit around it (FrameInterpreter.swift): it computes only between a message
// that says "go on" and the message with which it answers, so no verdict depends on how fast the host is. Every message is
// one packet on descriptor 3, little-endian.
//
// Go on:   u32 budget in µs, u64 µs since the chip's reset, u8 link (1 connected, 2 subscribed), u16 payload (0 before the first
//          MTU exchange since the reset), items: what the radio's and the sensors' interrupts do, in their order.
//            D data without its first byte, B break, T tap, C command, A answer (u8 status, bytes).
// Answer:  u32 µs used, u8 why (see unit_why), u8 whether the watchdog was fed, items.
//            W u32 µs to wait, Q question (u8 operation, bytes).
// Item:    u8 kind, u32 length, bytes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

enum unit_why {
    UNIT_WHY_BUDGET = 0,    // more to compute
    UNIT_WHY_WAIT = 1,      // nothing to do for the µs of item W (all ones: until something comes), or until something comes
    UNIT_WHY_QUESTION = 2,  // the question of item Q waits for its answer
};

enum unit_operation {
    UNIT_HELLO = 1, UNIT_NOTIFY, UNIT_MOUNT, UNIT_UNMOUNT, UNIT_OPEN, UNIT_READ, UNIT_WRITE, UNIT_CLOSE, UNIT_REMOVE, UNIT_RENAME,
    UNIT_MAKE_FOLDER, UNIT_LIST, UNIT_LOAD, UNIT_HANG, UNIT_SHOW, UNIT_RECORD, UNIT_STOP, UNIT_SOUND, UNIT_CAPTURE, UNIT_READY,
    UNIT_PICTURE, UNIT_BATTERY, UNIT_SLEEP, UNIT_STAY_AWAKE, UNIT_UPDATE, UNIT_CRASH, UNIT_DRAW,
};

// What the firmware has, by its version: FrameFeature in FrameFirmware.swift says what each is.
enum unit_feature {
    UNIT_MICROPHONE_START = 1, UNIT_IMAGE_READY = 2, UNIT_ASLEEP_AT_START = 4, UNIT_HARDWARE_VERSION = 8, UNIT_COMPRESSION = 16,
    UNIT_POWER_SAVE = 32, UNIT_SHOWS_PAIRING = 64, UNIT_CAPTURE_SETTINGS = 128, UNIT_READ_RAW = 256, UNIT_NAMED_COLORS = 512,
    UNIT_NUMBERED_NAME = 1024, UNIT_WATCHDOG = 2048, UNIT_PAIRED_SCREEN = 4096, UNIT_EXPOSURE_SPEED = 8192,
    UNIT_ANALOG_GAIN_FROM_ONE = 16384,
};

extern struct unit_identity {
    unsigned features;
    char version[32], tag[32], hardware[32], address[18];
} unit_identity;

static inline bool unit_has(enum unit_feature feature) { return (unit_identity.features & feature) != 0; }

// The state whose hook the interrupts set; there is one at a time.
extern lua_State *unit_lua;

// wire.c
// Takes processor time.
void unit_charge(uint32_t microseconds);
// µs since the chip's reset.
uint64_t unit_now(void);
void unit_wait(uint32_t microseconds);
// Lets the model go on when this turn's time is used up.
void unit_slice(void);
// Asks the hardware; returns the status. The answer stays until the next question.
int unit_ask(int operation, const void *bytes, size_t length);
extern const uint8_t *unit_answer;
extern size_t unit_answer_length;
bool unit_is_connected(void);
bool unit_is_subscribed(void);
int unit_payload(void);
extern bool unit_was_fed;
void unit_begin(void);

// hooks.c
void unit_hook_watchdog(lua_State *L);
void unit_open_callbacks(lua_State *L);
void unit_interrupt_break(void);
void unit_interrupt_data(const uint8_t *bytes, size_t length);
void unit_interrupt_tap(void);
void unit_interrupt_block(const uint8_t *bytes, size_t length);
enum unit_callback { UNIT_ON_DATA, UNIT_ON_TAP, UNIT_ON_BLOCK };
// A library's function that registers a callback, or none for nil.
int unit_register(lua_State *L, enum unit_callback kind);

// run.c: Lua from its start to a reset by 04.
void unit_run(void);
void unit_command(const uint8_t *bytes, size_t length);
int unit_show_screen(bool is_paired, bool is_update);

// memory.c
void *unit_allocate(void *context, void *block, size_t old_size, size_t new_size);
bool unit_fits(size_t size);

// confine.c: false where the kernel cannot hold the process.
bool unit_confine(void);
int unit_show_confinement(void);

// bluetooth.c: false when it was sent.
bool unit_notify(const void *bytes, size_t length);

void unit_open_version(lua_State *L);
void unit_open_system(lua_State *L);
void unit_open_bluetooth(lua_State *L);
void unit_open_display(lua_State *L);
void unit_open_camera(lua_State *L);
void unit_open_microphone(lua_State *L);
void unit_open_sensors(lua_State *L);
void unit_open_time(lua_State *L);
void unit_open_compression(lua_State *L);
// Formats an unbonded unit's file system, or one that cannot be mounted; true for a bonded unit.
bool unit_open_files(lua_State *L);
void unit_close_files(void);

// Adds a library to the table frame; a second one of the same name adds to it.
void unit_add_library(lua_State *L, const char *name, const luaL_Reg *functions);
