// frame.imu and frame.led (lua_libraries/imu.c, led.c): a unit that lies level and still.
#include "unit.h"

static int tap_callback(lua_State *L) { return unit_register(L, UNIT_ON_TAP); }

static void set_axes(lua_State *L, const char *name, lua_Number x, lua_Number y, lua_Number z) {
    lua_newtable(L);
    lua_pushnumber(L, x);
    lua_setfield(L, -2, "x");
    lua_pushnumber(L, y);
    lua_setfield(L, -2, "y");
    lua_pushnumber(L, z);
    lua_setfield(L, -2, "z");
    lua_setfield(L, -2, name);
}

static int direction(lua_State *L) {
    static const char *const names[] = {"pitch", "roll", "heading"};
    lua_newtable(L);
    for (int i = 0; i < 3; i++) {
        lua_pushnumber(L, 0.0);
        lua_setfield(L, -2, names[i]);
    }
    return 1;
}

static int raw(lua_State *L) {
    lua_newtable(L);
    set_axes(L, "compass", 0, 200, -400);
    set_axes(L, "accelerometer", 0, 0, 4096);
    return 1;
}

static int set_color(lua_State *L) {
    for (int place = 1; place <= 3; place++) {
        luaL_checkinteger(L, place);
    }
    for (int place = 1; place <= 3; place++) {
        lua_Integer part = lua_tointeger(L, place);
        if (part < 0 || part > 100) {
            return luaL_error(L, "led color must be between 0 and 100");
        }
    }
    return 0;
}

void unit_open_sensors(lua_State *L) {
    static const luaL_Reg motion[] = {{"tap_callback", tap_callback}, {"direction", direction}, {"raw", raw}, {NULL, NULL}};
    static const luaL_Reg lamp[] = {{"set_color", set_color}, {NULL, NULL}};
    unit_add_library(L, "imu", motion);
    if (unit_has(UNIT_HARDWARE_VERSION)) {
        unit_add_library(L, "led", lamp);
    }
}
