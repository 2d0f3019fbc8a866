// The one hook of Lua for everything: watchdog, break, data, tap and a decompressed block each replace what is set
// (luaport.c, watchdog.c, bluetooth.c, imu.c, compression.c).
#include <string.h>

#include "unit.h"

#define EVERYTHING (LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT)
#define INSTRUCTIONS 2000
// About a million instructions a second.
#define SLICE_MICROSECONDS INSTRUCTIONS
#define CALL_MICROSECONDS 1
#define LARGEST 4096

// The numbers outlive the state that they belong to.
static int functions[3];
static struct {
    uint8_t bytes[LARGEST];
    size_t length;
} data, block;

lua_State *unit_lua;

static void count(lua_Debug *ar) {
    unit_charge(ar->event == LUA_HOOKCOUNT ? SLICE_MICROSECONDS : CALL_MICROSECONDS);
    unit_slice();
}

static void feed(lua_State *L, lua_Debug *ar) {
    unit_was_fed = true;
    count(ar);
}

void unit_hook_watchdog(lua_State *L) { lua_sethook(L, feed, LUA_MASKCALL | LUA_MASKCOUNT, INSTRUCTIONS); }

static void interrupt(lua_Hook hook) {
    if (unit_lua != NULL) {
        lua_sethook(unit_lua, hook, EVERYTHING, 1);
    }
}

// Within a callback Lua calls no hook, so nobody feeds the watchdog. The thread makes its instructions count nevertheless.
static void count_callback(lua_State *L, lua_Debug *ar) { count(ar); }

static const char thread_key;

void unit_open_callbacks(lua_State *L) {
    lua_State *thread = lua_newthread(L);
    lua_sethook(thread, count_callback, LUA_MASKCALL | LUA_MASKCOUNT, INSTRUCTIONS);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &thread_key);
}

static void call_back(lua_State *L, enum unit_callback kind, const uint8_t *bytes, size_t length) {
    unit_hook_watchdog(L);
    if (functions[kind] == 0) {
        return;
    }
    lua_rawgetp(L, LUA_REGISTRYINDEX, &thread_key);
    lua_State *thread = lua_tothread(L, -1);
    lua_pop(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, functions[kind]);
    bool is_function = lua_isfunction(L, -1);
    int count = bytes != NULL;
    if (count) {
        lua_pushlstring(L, (const char *)bytes, length);
    }
    // A number that is no function any more fails as it does on the unit, in the name of the hook.
    lua_State *runner = is_function ? thread : L;
    if (is_function) {
        lua_settop(thread, 0);
        lua_xmove(L, thread, count + 1);
    }
    if (lua_pcall(runner, count, 0, 0) != LUA_OK) {
        luaL_error(L, "%s", lua_tostring(runner, -1));
    }
}

static void run_break(lua_State *L, lua_Debug *ar) {
    unit_hook_watchdog(L);
    luaL_error(L, "break signal");
}

static void run_data(lua_State *L, lua_Debug *ar) { call_back(L, UNIT_ON_DATA, data.bytes, data.length); }
static void run_tap(lua_State *L, lua_Debug *ar) { call_back(L, UNIT_ON_TAP, NULL, 0); }
static void run_block(lua_State *L, lua_Debug *ar) { call_back(L, UNIT_ON_BLOCK, block.bytes, block.length); }

void unit_interrupt_break(void) { interrupt(run_break); }
void unit_interrupt_tap(void) { interrupt(run_tap); }

void unit_interrupt_data(const uint8_t *bytes, size_t length) {
    if (functions[UNIT_ON_DATA] == 0) {
        return;
    }
    data.length = length < LARGEST ? length : LARGEST;
    memcpy(data.bytes, bytes, data.length);
    interrupt(run_data);
}

void unit_interrupt_block(const uint8_t *bytes, size_t length) {
    block.length = length < LARGEST ? length : LARGEST;
    memcpy(block.bytes, bytes, block.length);
    interrupt(run_block);
}

int unit_register(lua_State *L, enum unit_callback kind) {
    if (lua_isnil(L, 1)) {
        functions[kind] = 0;
    } else if (lua_isfunction(L, 1)) {
        functions[kind] = luaL_ref(L, LUA_REGISTRYINDEX);
    } else {
        luaL_error(L, "expected nil or function");
    }
    return 0;
}
