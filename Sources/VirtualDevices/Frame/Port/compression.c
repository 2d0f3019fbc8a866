// frame.compression (lua_libraries/compression.c): LZ4 frames, a block at a time; all go through the one hook, so the last one
// arrives.
#include <string.h>

#include "unit.h"

#define LARGEST 4096
#define MAGIC 0x184D2204u

static uint32_t word(const uint8_t *at) { return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24; }

// A length of four bits and more bytes while they are 255 (LZ4 block format); false past the end.
static bool read_length(const uint8_t **from, const uint8_t *end, size_t *length) {
    if (*length == 15) {
        uint8_t more;
        do {
            if (*from == end || *length > LARGEST) {
                return false;
            }
            more = *(*from)++;
            *length += more;
        } while (more == 255);
    }
    return true;
}

// The bytes written, or 0 for a block that is damaged or too large.
static size_t expand(const uint8_t *from, const uint8_t *end, uint8_t *to, size_t room) {
    size_t done = 0;
    while (from < end) {
        uint8_t token = *from++;
        size_t literals = token >> 4, match = token & 15;
        if (!read_length(&from, end, &literals) || literals > (size_t)(end - from) || literals > room - done) {
            return 0;
        }
        memcpy(to + done, from, literals);
        done += literals;
        from += literals;
        if (from == end) {
            return done;
        }
        if (end - from < 2) {
            return 0;
        }
        size_t distance = from[0] | from[1] << 8;
        from += 2;
        if (!read_length(&from, end, &match) || distance == 0 || distance > done || match + 4 > room - done) {
            return 0;
        }
        for (match += 4; match > 0; match--, done++) {
            to[done] = to[done - distance];
        }
    }
    return 0;
}

static bool decompress_frame(const uint8_t *bytes, size_t length, size_t room) {
    static uint8_t block[LARGEST];
    if (length < 7 || word(bytes) != MAGIC) {
        return false;
    }
    size_t at = 7 + (bytes[4] & 8 ? 8 : 0) + (bytes[4] & 1 ? 4 : 0);
    while (at + 4 <= length) {
        size_t size = word(bytes + at);
        if (size == 0) {
            return true;
        }
        if (size > length - at - 4) {
            return false;
        }
        size_t count = expand(bytes + at + 4, bytes + at + 4 + size, block, room);
        if (count == 0) {
            return false;
        }
        unit_charge((uint32_t)count);
        unit_interrupt_block(block, count);
        at += 4 + size;
    }
    return false;
}

static int process_function(lua_State *L) { return unit_register(L, UNIT_ON_BLOCK); }

static int decompress(lua_State *L) {
    size_t length;
    const char *bytes = luaL_checklstring(L, 1, &length);
    lua_Integer room = luaL_checkinteger(L, 2);
    if (room <= 0) {
        return luaL_error(L, "bytes must be greater than 0");
    }
    // A larger block overruns the firmware's buffer.
    if (room > LARGEST) {
        unit_ask(UNIT_CRASH, NULL, 0);
    }
    return decompress_frame((const uint8_t *)bytes, length, (size_t)room) ? 0 : luaL_error(L, "decompression failed");
}

void unit_open_compression(lua_State *L) {
    static const luaL_Reg functions[] = {{"process_function", process_function}, {"decompress", decompress}, {NULL, NULL}};
    if (unit_has(UNIT_COMPRESSION)) {
        unit_add_library(L, "compression", functions);
    }
}
