// Lua from its start to a reset by 04 (luaport.c).
#include <string.h>

#include "unit.h"

#define COMMAND 247
// A command starts within 10 ms at the idle prompt: the mean.
#define IDLE "frame.sleep(0.005)"

static char command[COMMAND + 1];

// The next one takes the place of one that waits; a 0 ends it.
void unit_command(const uint8_t *bytes, size_t length) {
    length = length < COMMAND ? length : COMMAND;
    memcpy(command, bytes, length);
    command[length] = 0;
}

static void print_error(lua_State *L) {
    const char *text = lua_tostring(L, -1);
    // The firmware reads address 0 for an error object that is no text.
    text = text != NULL ? text : "";
    unit_notify(text, strlen(text));
    lua_settop(L, 0);
}

static int print(lua_State *L) {
    int count = lua_gettop(L);
    for (int i = 1; i <= count; i++) {
        size_t length;
        const char *text = luaL_tolstring(L, i, &length);
        if (i > 1) {
            unit_notify("\t", 1);
        }
        unit_notify(text, length);
        lua_pop(L, 1);
    }
    return 0;
}

// Every file of the firmware's C library is there and empty (syscalls.c).
static int load_file(lua_State *L) {
    const char *name = luaL_optstring(L, 1, NULL);
    luaL_loadbuffer(L, "", 0, name == NULL ? "=stdin" : lua_pushfstring(L, "@%s", name));
    return 1;
}

static int do_file(lua_State *L) {
    luaL_optstring(L, 1, NULL);
    return 0;
}

// A long, a size_t and a string's length of the unit have four bytes: the format says so before Lua's own function reads it.
static int call_with_format(lua_State *L) {
    size_t length;
    const char *format = luaL_checklstring(L, 1, &length);
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (size_t i = 0; i < length; i++) {
        char option = format[i] == 'l' ? 'i' : format[i] == 'L' || format[i] == 'T' ? 'I' : format[i];
        luaL_addchar(&buffer, option);
        bool has_width = i + 1 < length && format[i + 1] >= '0' && format[i + 1] <= '9';
        if (option != format[i] || (option == 's' && !has_width)) {
            luaL_addchar(&buffer, '4');
        }
    }
    luaL_pushresult(&buffer);
    lua_replace(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

// What Debian's Lua has and the unit's, built without LUA_COMPAT_5_3 for 32 bits, has not.
static void cut_surface(lua_State *L) {
    static const char *const absent[] = {"cosh", "sinh", "tanh", "pow", "frexp", "ldexp", "log10", "atan2"};
    static const char *const formatted[] = {"pack", "packsize", "unpack"};
    lua_getglobal(L, LUA_MATHLIBNAME);
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
        lua_pushnil(L);
        lua_setfield(L, -2, absent[i]);
    }
    lua_getglobal(L, LUA_STRLIBNAME);
    for (size_t i = 0; i < sizeof(formatted) / sizeof(formatted[0]); i++) {
        lua_getfield(L, -1, formatted[i]);
        lua_pushcclosure(L, call_with_format, 1);
        lua_setfield(L, -2, formatted[i]);
    }
    lua_settop(L, 0);
}

static void open_standard_libraries(lua_State *L) {
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base}, {LUA_COLIBNAME, luaopen_coroutine}, {LUA_TABLIBNAME, luaopen_table},
        {LUA_STRLIBNAME, luaopen_string}, {LUA_MATHLIBNAME, luaopen_math}, {LUA_UTF8LIBNAME, luaopen_utf8},
        {LUA_DBLIBNAME, luaopen_debug},
    };
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
    }
    lua_settop(L, 0);
    cut_surface(L);
    lua_register(L, "print", print);
    lua_register(L, "loadfile", load_file);
    lua_register(L, "dofile", do_file);
}

void unit_add_library(lua_State *L, const char *name, const luaL_Reg *functions) {
    lua_getglobal(L, "frame");
    if (lua_getfield(L, -1, name) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, name);
    }
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 2);
}

int unit_show_screen(bool is_paired, bool is_update) {
    static const char *const early =
        "frame.display.text('Ready to Pair', 200, 140);"
        "frame.display.text('Frame '..frame.bluetooth.address():sub(-2, -1), 245, 210, { color = 'ORANGE' });"
        "frame.display.show();";
    static const char *const ready =
        "frame.display.text('Ready to Pair', 200, 140);"
        "frame.display.text('Frame '..frame.bluetooth.address():sub(-2, -1), 245, 210, { color = 'GREEN' });"
        "frame.display.show();";
    static const char *const paired =
        "frame.display.text('Frame is Paired', 185, 140);"
        "frame.display.text('Frame '..frame.bluetooth.address():sub(-2, -1), 245, 210, { color = 'ORANGE' });"
        "frame.display.show();";
    static const char *const update = "frame.display.text('Frame Update', 200, 140);frame.display.show();";
    if (is_update) {
        return luaL_dostring(unit_lua, update);
    }
    if (!unit_has(UNIT_NUMBERED_NAME)) {
        return luaL_dostring(unit_lua, "frame.display.text('FRAME', 280, 176);frame.display.show();");
    }
    if (is_paired && unit_has(UNIT_PAIRED_SCREEN)) {
        return luaL_dostring(unit_lua, paired);
    }
    return luaL_dostring(unit_lua, unit_has(UNIT_PAIRED_SCREEN) ? ready : early);
}

static bool open_libraries(lua_State *L) {
    open_standard_libraries(L);
    lua_newtable(L);
    lua_setglobal(L, "frame");
    unit_open_version(L);
    unit_open_system(L);
    unit_open_bluetooth(L);
    unit_open_display(L);
    unit_open_camera(L);
    unit_open_microphone(L);
    unit_open_sensors(L);
    unit_open_time(L);
    unit_open_compression(L);
    return unit_open_files(L);
}

static void run_main(lua_State *L) {
    bool stays_awake = !unit_has(UNIT_ASLEEP_AT_START);
    if (luaL_dostring(L, stays_awake ? "require('main')" : "frame.stay_awake(false); require('main')") == LUA_OK) {
        return;
    }
    // The check for a unit without a program still compares the text of older firmware.
    const char *text = lua_tostring(L, -1);
    if (text != NULL && strcmp(text, "[string \"require('main')\"]:1: cannot open file: main.lua") == 0) {
        lua_settop(L, 0);
    } else {
        print_error(L);
    }
}

static void run_command(lua_State *L) {
    char text[COMMAND + 1];
    strcpy(text, command);
    command[0] = 0;
    if (luaL_dostring(L, text) != LUA_OK) {
        print_error(L);
    }
}

void unit_run(void) {
    lua_State *L = lua_newstate(unit_allocate, NULL);
    unit_lua = L;
    unit_hook_watchdog(L);
    bool is_paired = open_libraries(L);
    unit_open_callbacks(L);
    run_main(L);
    if (unit_show_screen(is_paired, false) != LUA_OK) {
        unit_ask(UNIT_CRASH, NULL, 0);
    }
    while (command[0] != 4) {
        if (command[0] != 0) {
            run_command(L);
            continue;
        }
        // What comes ends the wait: its hook runs in the sleep.
        unit_was_fed = true;
        unit_wait(UINT32_MAX);
        if (luaL_dostring(L, IDLE) != LUA_OK) {
            lua_settop(L, 0);
        }
    }
    command[0] = 0;
    unit_close_files();
    unit_lua = NULL;
    lua_close(L);
}
