// frame's own functions and names (system.c, version.c).
#include <string.h>

#include "unit.h"

static int update(lua_State *L) {
    if (unit_has(UNIT_SHOWS_PAIRING) && unit_show_screen(false, true) != LUA_OK) {
        return luaL_error(L, "%s", lua_tostring(L, -1));
    }
    unit_ask(UNIT_UPDATE, NULL, 0);
    return 0;
}

// The time is asked through Lua, so that a hook runs meanwhile.
static lua_Number now(lua_State *L) {
    if (luaL_dostring(L, "return frame.time.utc()") != LUA_OK) {
        luaL_error(L, "%s", lua_tostring(L, -1));
    }
    lua_Number seconds = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return seconds;
}

static int sleep(lua_State *L) {
    if (lua_gettop(L) == 0) {
        unit_ask(UNIT_SLEEP, NULL, 0);
        return 0;
    }
    lua_Number end = luaL_checknumber(L, 1);
    lua_settop(L, 0);
    end += now(L);
    for (;;) {
        lua_Number left = end - now(L);
        if (left <= 0) {
            return 0;
        }
        // The clock counts whole milliseconds.
        lua_Number microseconds = left * 1e6 + 1;
        uint32_t wait = microseconds < 4e9 ? (uint32_t)microseconds : 4000000000u;
        unit_wait(wait < 1000 ? 1000 : wait);
    }
}

static int stay_awake(lua_State *L) {
    if (lua_gettop(L) > 1) {
        return luaL_error(L, "expected 0 or 1 arguments");
    }
    uint8_t wanted = 2;
    if (lua_gettop(L) == 1) {
        luaL_checktype(L, 1, LUA_TBOOLEAN);
        wanted = lua_toboolean(L, 1);
    }
    unit_ask(UNIT_STAY_AWAKE, &wanted, 1);
    if (wanted < 2) {
        return 0;
    }
    lua_pushboolean(L, unit_answer_length > 0 && unit_answer[0]);
    return 1;
}

static int battery_level(lua_State *L) {
    unit_ask(UNIT_BATTERY, NULL, 0);
    lua_pushnumber(L, unit_answer_length > 0 ? unit_answer[0] : 0);
    return 1;
}

static void check_register(lua_State *L) {
    lua_Integer address = luaL_checkinteger(L, 1);
    if (address < 0 || address > 0xFF) {
        luaL_error(L, "address must be between 0x00 and 0xFF");
    }
}

static int fpga_read(lua_State *L) {
    check_register(L);
    lua_Integer length = luaL_checkinteger(L, 2);
    if (length < 0 || !unit_fits((size_t)length)) {
        return luaL_error(L, "not enough memory");
    }
    luaL_Buffer buffer;
    memset(luaL_buffinitsize(L, &buffer, (size_t)length), 0, (size_t)length);
    luaL_pushresultsize(&buffer, (size_t)length);
    return 1;
}

static int fpga_write(lua_State *L) {
    check_register(L);
    luaL_checkstring(L, 2);
    return 0;
}

void unit_open_system(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"update", update}, {"sleep", sleep}, {"stay_awake", stay_awake}, {"battery_level", battery_level}, {NULL, NULL},
    };
    static const luaL_Reg fpga[] = {{"fpga_read", fpga_read}, {"fpga_write", fpga_write}, {NULL, NULL}};
    static const luaL_Reg old_fpga[] = {{"read", fpga_read}, {"write", fpga_write}, {NULL, NULL}};
    lua_getglobal(L, "frame");
    luaL_setfuncs(L, functions, 0);
    if (unit_has(UNIT_POWER_SAVE)) {
        luaL_setfuncs(L, fpga, 0);
    }
    lua_pop(L, 1);
    if (!unit_has(UNIT_POWER_SAVE)) {
        unit_add_library(L, "fpga", old_fpga);
    }
}

void unit_open_version(lua_State *L) {
    lua_getglobal(L, "frame");
    lua_pushstring(L, unit_identity.version);
    lua_setfield(L, -2, "FIRMWARE_VERSION");
    lua_pushstring(L, unit_identity.tag);
    lua_setfield(L, -2, "GIT_TAG");
    if (unit_has(UNIT_HARDWARE_VERSION)) {
        lua_pushstring(L, unit_identity.hardware);
        lua_setfield(L, -2, "HARDWARE_VERSION");
    }
    lua_pop(L, 1);
}
