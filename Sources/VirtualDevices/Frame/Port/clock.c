// frame.time (lua_libraries/time.c): the clock counts milliseconds from 0 at the chip's start, and is set by whole seconds.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "unit.h"

// What the clock was set ahead by, in ms.
static int64_t offset;
static int zone_hours, zone_minutes;

static int64_t now(void) { return (int64_t)(unit_now() / 1000) + offset; }

static int utc(lua_State *L) {
    if (lua_gettop(L) == 0) {
        lua_pushnumber(L, (lua_Number)now() / 1000);
        return 1;
    }
    offset += (int64_t)((uint64_t)luaL_checkinteger(L, 1) * 1000) - now();
    return 0;
}

static int zone(lua_State *L) {
    if (lua_gettop(L) == 0) {
        char text[16];
        snprintf(text, sizeof(text), "%c%02d:%02d", zone_hours >= 0 ? '+' : '-', abs(zone_hours), zone_minutes);
        lua_pushstring(L, text);
        return 1;
    }
    int hour = 0, minute = 0;
    if (sscanf(luaL_checkstring(L, 1), "%d:%d", &hour, &minute) != 2) {
        return luaL_error(L, "must be '+hh:mm' or '-hh:mm'");
    }
    if (hour < -12 || hour > 14) {
        return luaL_error(L, "hour value must be between -12 and +14");
    }
    if (minute != 0 && minute != 30 && minute != 45) {
        return luaL_error(L, "minute value must be either 00, 30, or 45");
    }
    if ((hour == -12 || hour == 14) && minute != 0) {
        return luaL_error(L, "when hour is -12 or 14, minutes must be 0");
    }
    zone_hours = hour;
    zone_minutes = minute;
    return 0;
}

static int date(lua_State *L) {
    time_t seconds = lua_gettop(L) == 0 ? now() / 1000 : luaL_checkinteger(L, 1);
    seconds += zone_minutes * 60 + zone_hours * 3600;
    struct tm parts = {0};
    gmtime_r(&seconds, &parts);
    const struct { const char *name; int value; } fields[] = {
        {"second", parts.tm_sec}, {"minute", parts.tm_min}, {"hour", parts.tm_hour}, {"day", parts.tm_mday}, {"month", parts.tm_mon + 1},
        {"year", parts.tm_year + 1900}, {"weekday", parts.tm_wday}, {"day of year", parts.tm_yday},
    };
    lua_newtable(L);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        lua_pushinteger(L, fields[i].value);
        lua_setfield(L, -2, fields[i].name);
    }
    lua_pushboolean(L, false);
    lua_setfield(L, -2, "is daylight saving");
    return 1;
}

void unit_open_time(lua_State *L) {
    static const luaL_Reg functions[] = {{"utc", utc}, {"zone", zone}, {"date", date}, {NULL, NULL}};
    unit_add_library(L, "time", functions);
}
