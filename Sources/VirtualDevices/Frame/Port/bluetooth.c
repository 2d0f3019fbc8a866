// frame.bluetooth (lua_libraries/bluetooth.c).
#include <string.h>

#include "unit.h"

#define LARGEST 244
#define SEND_MICROSECONDS 40

// Whatever fails is silent: no link, no subscription, no place in the queue, too long for the attribute.
bool unit_notify(const void *bytes, size_t length) {
    unit_charge(SEND_MICROSECONDS);
    return length > LARGEST || unit_ask(UNIT_NOTIFY, bytes, length) != 0;
}

static int is_connected(lua_State *L) {
    lua_pushboolean(L, unit_is_connected());
    return 1;
}

static int address(lua_State *L) {
    lua_pushstring(L, unit_identity.address);
    return 1;
}

static int max_length(lua_State *L) {
    lua_pushinteger(L, unit_payload() - 1);
    return 1;
}

static int send(lua_State *L) {
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    uint8_t data[LARGEST + 1] = {1};
    if (length + 1 > (size_t)unit_payload() || length > LARGEST) {
        return luaL_error(L, "string length is greater than max_length()");
    }
    memcpy(data + 1, text, length);
    if (unit_notify(data, length + 1)) {
        return luaL_error(L, "bluetooth is busy");
    }
    return 0;
}

static int receive_callback(lua_State *L) { return unit_register(L, UNIT_ON_DATA); }

void unit_open_bluetooth(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"is_connected", is_connected}, {"address", address}, {"max_length", max_length}, {"send", send},
        {"receive_callback", receive_callback}, {NULL, NULL},
    };
    unit_add_library(L, "bluetooth", functions);
}
