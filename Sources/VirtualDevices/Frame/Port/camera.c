// frame.camera (lua_libraries/camera.c): a picture is a header of 623 bytes, the data, and FF D9, in pieces that never mix.
#include <math.h>
#include <string.h>

#include "unit.h"

static bool is_asleep;

static void check_awake(lua_State *L) {
    if (is_asleep) {
        luaL_error(L, "camera is asleep");
    }
}

static void check_quality_factor(lua_State *L) {
    if (lua_getfield(L, 1, "quality_factor") != LUA_TNIL) {
        lua_Integer factor = luaL_checkinteger(L, -1);
        if (factor != 100 && factor != 50 && factor != 25 && factor != 10) {
            luaL_error(L, "quality_factor must be either 100, 50, 25 or 10");
        }
    }
}

static void check_settings(lua_State *L) {
    if (lua_getfield(L, 1, "resolution") != LUA_TNIL) {
        lua_Integer resolution = luaL_checkinteger(L, -1);
        if (resolution < 100 || resolution > 720 || resolution % 2 != 0) {
            luaL_error(L, "resolution value must be a multiple of 2 between 100 and 720");
        }
    }
    if (lua_getfield(L, 1, "pan") != LUA_TNIL) {
        lua_Integer pan = luaL_checkinteger(L, -1);
        if (pan < -140 || pan > 140) {
            luaL_error(L, "pan value must be value between -140 and 140");
        }
    }
    if (lua_getfield(L, 1, "quality") != LUA_TNIL) {
        static const char *const names[] = {"VERY_HIGH", "HIGH", "MEDIUM", "LOW", "VERY_LOW"};
        const char *quality = luaL_checkstring(L, -1);
        bool is_known = false;
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            is_known = is_known || strcmp(quality, names[i]) == 0;
        }
        if (!is_known) {
            luaL_error(L, "quality must be either VERY_HIGH, HIGH, MEDIUM, LOW or VERY_LOW");
        }
    }
}

static int capture(lua_State *L) {
    check_awake(L);
    if (unit_has(UNIT_HARDWARE_VERSION)) {
        check_settings(L);
    } else if (unit_has(UNIT_CAPTURE_SETTINGS)) {
        check_quality_factor(L);
    }
    unit_ask(UNIT_CAPTURE, NULL, 0);
    return 0;
}

static int image_ready(lua_State *L) {
    check_awake(L);
    unit_ask(UNIT_READY, NULL, 0);
    lua_pushboolean(L, unit_answer_length > 0 && unit_answer[0]);
    return 1;
}

static int read_picture(lua_State *L, bool is_raw) {
    lua_Integer count = luaL_checkinteger(L, 1);
    if (count <= 0) {
        return luaL_error(L, "bytes must be greater than 0");
    }
    if (count > INT32_MAX || !unit_fits((size_t)count)) {
        return luaL_error(L, "bytes requested is too large");
    }
    struct { uint32_t count, is_raw; } question = {(uint32_t)count, is_raw};
    unit_ask(UNIT_PICTURE, &question, sizeof(question));
    if (unit_answer_length == 0) {
        lua_pushnil(L);
    } else {
        lua_pushlstring(L, (const char *)unit_answer, unit_answer_length);
    }
    return 1;
}

static int read_all(lua_State *L) { return read_picture(L, false); }
static int read_raw(lua_State *L) { return read_picture(L, true); }

static void check_number(lua_State *L, const char *name, lua_Number low, lua_Number high, const char *message) {
    if (lua_getfield(L, 1, name) != LUA_TNIL) {
        lua_Number value = luaL_checknumber(L, -1);
        if (value < low || value > high) {
            luaL_error(L, "%s", message);
        }
    }
    lua_pop(L, 1);
}

static void check_metering(lua_State *L) {
    if (lua_getfield(L, 1, "metering") != LUA_TNIL) {
        const char *name = luaL_checkstring(L, -1);
        if (strcmp(name, "SPOT") != 0 && strcmp(name, "CENTER_WEIGHTED") != 0 && strcmp(name, "AVERAGE") != 0) {
            luaL_error(L, "metering must be SPOT, CENTER_WEIGHTED or AVERAGE");
        }
    }
    lua_pop(L, 1);
}

static void set_numbers(lua_State *L, const char *const *names, const lua_Number *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        lua_pushnumber(L, values[i]);
        lua_setfield(L, -2, names[i]);
    }
}

static void push_light(lua_State *L, const char *name) {
    static const char *const names[] = {"r", "g", "b", "average"};
    static const lua_Number values[] = {0.1, 0.1, 0.1, 0.1};
    lua_newtable(L);
    set_numbers(L, names, values, 4);
    lua_setfield(L, -2, name);
}

static void check_early_exposure(lua_State *L) {
    check_number(L, "exposure", -2, 2, "exposure must be between -2 and 2");
    check_number(L, "shutter_kp", 0, HUGE_VAL, "shutter_kp must be greater than 0");
    check_number(L, "shutter_limit", 4, 16383, "shutter_limit must be between 4 and 16383");
    check_number(L, "gain_kp", 0, HUGE_VAL, "gain_kp must be greater than 0");
    check_number(L, "gain_limit", 0, 248, "gain_limit must be between 0 and 248");
}

static void check_exposure(lua_State *L) {
    check_number(L, "exposure", 0, 1, "exposure must be between 0 and 1");
    check_number(L, "exposure_speed", 0, 1, "exposure_speed must be between 0 and 1");
    check_number(L, "shutter_limit", 4, 16383, "shutter_limit must be between 4 and 16383");
    if (!unit_has(UNIT_POWER_SAVE)) {
        return check_number(L, "gain_limit", 0, 248, "gain_limit must be between 0 and 248");
    }
    // For a while the text had the old limit still.
    bool is_said = unit_has(UNIT_HARDWARE_VERSION);
    check_number(
        L, "analog_gain_limit", unit_has(UNIT_ANALOG_GAIN_FROM_ONE) ? 1 : 0, 248,
        is_said ? "analog_gain_limit must be between 1 and 248" : "analog_gain_limit must be between 0 and 248");
    check_number(L, "white_balance_speed", 0, 1, "white_balance_speed must be between 0 and 1");
    if (unit_has(UNIT_SHOWS_PAIRING)) {
        check_number(L, "rgb_gain_limit", 0, 1023, "rgb_gain_limit must be between 0 and 1023");
    }
}

// What the camera sees is exposed right already.
static int automatic(lua_State *L) {
    if (is_asleep) {
        return 0;
    }
    if (lua_istable(L, 1)) {
        check_metering(L);
        if (unit_has(UNIT_EXPOSURE_SPEED)) {
            check_exposure(L);
        } else {
            check_early_exposure(L);
        }
    }
    bool balances = unit_has(UNIT_POWER_SAVE);
    static const char *const names[] = {"error", "shutter", "analog_gain", "red_gain", "green_gain", "blue_gain"};
    static const char *const early[] = {"error", "shutter", "gain"};
    static const lua_Number values[] = {1.0, 1600.0, 1.0, 121.6, 64.0, 140.8};
    static const char *const brightness[] = {"center_weighted_average", "scene"};
    static const lua_Number bright[] = {0.1, 260.4};
    lua_newtable(L);
    set_numbers(L, balances ? names : early, values, balances ? 6 : 3);
    lua_newtable(L);
    push_light(L, "spot");
    push_light(L, "matrix");
    set_numbers(L, brightness, bright, balances ? 2 : 1);
    lua_setfield(L, -2, "brightness");
    return 1;
}

static int power_save(lua_State *L) {
    if (!lua_isboolean(L, 1)) {
        return luaL_error(L, "value must be true or false");
    }
    is_asleep = lua_toboolean(L, 1);
    return 0;
}

static int sleep(lua_State *L) {
    is_asleep = true;
    return 0;
}

static int wake(lua_State *L) {
    is_asleep = false;
    return 0;
}

static int check_range(lua_State *L, int place, lua_Integer low, lua_Integer high, const char *message) {
    check_awake(L);
    lua_Integer value = luaL_checkinteger(L, place);
    return value < low || value > high ? luaL_error(L, "%s", message) : 0;
}

static int set_shutter(lua_State *L) { return check_range(L, 1, 4, 0x3FFF, "shutter must be between 4 and 16383"); }
static int set_gain(lua_State *L) {
    bool is_new = unit_has(UNIT_COMPRESSION);
    return check_range(L, 1, is_new, 0xF8, is_new ? "gain must be between 1 and 248" : "gain must be between 0 and 248");
}

static int set_white_balance(lua_State *L) {
    for (int place = 1; place <= 3; place++) {
        check_range(L, place, 0, 0x3FF, "gains must be between 0 and 1023");
    }
    return 0;
}

static int write_register(lua_State *L) {
    check_range(L, 1, 0, 0xFFFF, "address must be a 16 bit unsigned number");
    return check_range(L, 2, 0, 0xFF, "value must be an 8 bit unsigned number");
}

static int read_register(lua_State *L) {
    check_range(L, 1, 0, 0xFFFF, "address must be a 16 bit unsigned number");
    lua_pushinteger(L, 0);
    return 1;
}

void unit_open_camera(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"capture", capture}, {"read", read_all}, {"auto", automatic}, {"set_shutter", set_shutter}, {"set_gain", set_gain},
        {"set_white_balance", set_white_balance}, {NULL, NULL},
    };
    static const luaL_Reg raw[] = {{"read_raw", read_raw}, {NULL, NULL}};
    static const luaL_Reg ready[] = {{"image_ready", image_ready}, {NULL, NULL}};
    static const luaL_Reg get[] = {{"get_register", read_register}, {NULL, NULL}};
    static const luaL_Reg old_power[] = {{"sleep", sleep}, {"wake", wake}, {"set_register", write_register}, {NULL, NULL}};
    static const luaL_Reg new_power[] = {
        {"power_save", power_save}, {"write_register", write_register}, {"read_register", read_register}, {NULL, NULL},
    };
    is_asleep = false;
    unit_add_library(L, "camera", functions);
    if (unit_has(UNIT_READ_RAW)) {
        unit_add_library(L, "camera", raw);
    }
    if (unit_has(UNIT_IMAGE_READY)) {
        unit_add_library(L, "camera", ready);
    }
    if (unit_has(UNIT_EXPOSURE_SPEED) && !unit_has(UNIT_POWER_SAVE)) {
        unit_add_library(L, "camera", get);
    }
    unit_add_library(L, "camera", unit_has(UNIT_POWER_SAVE) ? new_power : old_power);
}
