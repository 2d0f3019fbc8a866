// frame.microphone (lua_libraries/microphone.c). It runs on through 03 and 04.
#include <string.h>

#include "unit.h"

enum { NOT_STARTED = 0, ALREADY_STARTED = 1 };

static lua_Integer setting(lua_State *L, const char *name, lua_Integer otherwise) {
    if (lua_istable(L, 1) && lua_getfield(L, 1, name) != LUA_TNIL) {
        return luaL_checkinteger(L, -1);
    }
    return otherwise;
}

static int start(lua_State *L) {
    // The first that it looks at.
    static const uint32_t nothing[3];
    if (unit_ask(UNIT_RECORD, nothing, sizeof(nothing)) == ALREADY_STARTED) {
        return luaL_error(L, "already started");
    }
    lua_Integer rate = setting(L, "sample_rate", 8000), depth = setting(L, "bit_depth", 8);
    if (rate != 8000 && rate != 16000) {
        return luaL_error(L, "sample rate must be 8000 or 16000");
    }
    if (depth != 8 && depth != 16) {
        return luaL_error(L, "bit depth must be 8 or 16");
    }
    uint32_t question[3] = {(uint32_t)rate, (uint32_t)depth, UINT32_MAX};
    unit_ask(UNIT_RECORD, question, sizeof(question));
    return 0;
}

// Of firmware before `start`: each begins anew.
static int record(lua_State *L) {
    static const lua_Integer rates[] = {20000, 16000, 12500, 10000, 8000, 5000, 4000};
    lua_Number seconds = 9999;
    if (lua_istable(L, 1) && lua_getfield(L, 1, "seconds") != LUA_TNIL) {
        seconds = luaL_checknumber(L, -1);
    }
    lua_Integer rate = setting(L, "sample_rate", 8000), depth = setting(L, "bit_depth", 8);
    if (seconds <= 0) {
        return luaL_error(L, "seconds must be greater than 0");
    }
    bool is_known = false;
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        is_known = is_known || rate == rates[i];
    }
    if (!is_known) {
        return luaL_error(L, "invalid sample rate");
    }
    if (depth != 16 && depth != 8 && depth != 4) {
        return luaL_error(L, "invalid bit depth");
    }
    uint32_t question[3] = {(uint32_t)rate, (uint32_t)depth, seconds < 4e6 ? (uint32_t)(seconds * 1000) : 4000000000u};
    unit_ask(UNIT_RECORD, question, sizeof(question));
    return 0;
}

static int stop(lua_State *L) {
    unit_ask(UNIT_STOP, NULL, 0);
    return 0;
}

static int read_sound(lua_State *L) {
    lua_Integer count = luaL_checkinteger(L, 1);
    bool is_old = !unit_has(UNIT_MICROPHONE_START);
    if (is_old && count > 512) {
        return luaL_error(L, "too many bytes requested");
    }
    if (count % (is_old ? 4 : 2) != 0) {
        return luaL_error(L, is_old ? "bytes must be a multiple of 4" : "bytes must be a multiple of 2");
    }
    if (count < 0 || !unit_fits((size_t)count)) {
        return luaL_error(L, "not enough memory");
    }
    uint32_t question = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
    if (unit_ask(UNIT_SOUND, &question, 4) != 0) {
        lua_pushnil(L);
    } else {
        lua_pushlstring(L, (const char *)unit_answer, unit_answer_length);
    }
    return 1;
}

void unit_open_microphone(lua_State *L) {
    static const luaL_Reg functions[] = {{"read", read_sound}, {NULL, NULL}};
    static const luaL_Reg newer[] = {{"start", start}, {"stop", stop}, {NULL, NULL}};
    static const luaL_Reg older[] = {{"record", record}, {"stop", stop}, {NULL, NULL}};
    unit_add_library(L, "microphone", functions);
    unit_add_library(L, "microphone", unit_has(UNIT_MICROPHONE_START) ? newer : older);
}
