// frame.file and require (lua_libraries/file.c). The model keeps the files; what it says is the file system's answer.
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define LINE 512
#define LARGEST_PATH 256
#define LARGEST_FILE 65536
#define GUARD "GUARD"

struct stream {
    int32_t handle;
    bool is_open, is_read_only;
};

// LittleFS keeps the dead handle in its list, and the next walk along it does not end.
static bool is_dangling;
static bool is_closing;

static int ask(int operation, const void *bytes, size_t length) {
    if (is_dangling) {
        unit_ask(UNIT_HANG, NULL, 0);
    }
    return unit_ask(operation, bytes, length);
}

static struct stream *open_stream(lua_State *L) {
    struct stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    if (!stream->is_open) {
        luaL_error(L, "attempt to use a closed file");
    }
    return stream;
}

static int open_file(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    const char *mode = luaL_optstring(L, 2, "r");
    struct stream *stream = lua_newuserdatauv(L, sizeof(*stream), 1);
    memset(stream, 0, sizeof(*stream));
    luaL_setmetatable(L, LUA_FILEHANDLE);
    // A file of the unit has no __gc to be seen; what notices its end belongs to it.
    struct stream **guard = lua_newuserdatauv(L, sizeof(*guard), 0);
    *guard = stream;
    luaL_setmetatable(L, GUARD);
    lua_setiuservalue(L, -2, 1);
    if (mode[0] != 'r' && mode[0] != 'w' && mode[0] != 'a') {
        return luaL_error(L, "mode must be 'r', 'w', or 'a'");
    }
    const char *question = lua_pushfstring(L, "%c%s", mode[0], name);
    if (strlen(name) >= LARGEST_FILE || ask(UNIT_OPEN, question, strlen(question)) != 0 || unit_answer_length != 4) {
        return luaL_error(L, "cannot open file %s", name);
    }
    lua_pop(L, 1);
    memcpy(&stream->handle, unit_answer, 4);
    stream->is_open = true;
    stream->is_read_only = mode[0] == 'r';
    return 1;
}

static int close_file(lua_State *L) {
    struct stream *stream = open_stream(L);
    ask(UNIT_CLOSE, &stream->handle, 4);
    stream->is_open = false;
    return 0;
}

static int collect(lua_State *L) {
    struct stream *stream = *(struct stream **)luaL_checkudata(L, 1, GUARD);
    is_dangling = is_dangling || (stream->is_open && !is_closing);
    return 0;
}

static int read_file(lua_State *L) {
    struct stream *stream = open_stream(L);
    if (ask(UNIT_READ, &stream->handle, 4) != 0) {
        return luaL_error(L, "error reading file");
    }
    size_t length = unit_answer_length < LINE ? unit_answer_length : LINE;
    if (length > 0) {
        lua_pushlstring(L, (const char *)unit_answer, length - (unit_answer[length - 1] == '\n'));
    } else {
        lua_pushnil(L);
    }
    return 1;
}

static int write_file(lua_State *L) {
    static uint8_t question[4 + LARGEST_FILE];
    struct stream *stream = open_stream(L);
    if (stream->is_read_only) {
        return luaL_error(L, "file opened in read-only mode");
    }
    size_t length;
    const char *text = luaL_checklstring(L, 2, &length);
    if (length > LARGEST_FILE) {
        return luaL_error(L, "error writing to file");
    }
    memcpy(question, &stream->handle, 4);
    // Early firmware writes up to the first 0, and finds that too little.
    size_t written = unit_has(UNIT_EXPOSURE_SPEED) ? length : strlen(text);
    memcpy(question + 4, text, written);
    if (ask(UNIT_WRITE, question, 4 + written) != 0 || written != length) {
        return luaL_error(L, "error writing to file");
    }
    return 0;
}

static int remove_file(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    return ask(UNIT_REMOVE, name, strlen(name)) == 0 ? 0 : luaL_error(L, "error deleting file/directory");
}

static int rename_file(lua_State *L) {
    const char *from = luaL_checkstring(L, 1);
    const char *to = luaL_checkstring(L, 2);
    // The two names with a 0 between them.
    lua_pushlstring(L, from, strlen(from) + 1);
    lua_pushstring(L, to);
    lua_concat(L, 2);
    size_t length;
    const char *question = lua_tolstring(L, -1, &length);
    return ask(UNIT_RENAME, question, length) == 0 ? 0 : luaL_error(L, "error renaming file/directory");
}

// Each part of the path in turn; one that is there already is an error.
static int make_folder(lua_State *L) {
    size_t length;
    const char *path = luaL_checklstring(L, 1, &length);
    if (length > LARGEST_PATH) {
        return luaL_error(L, "path too long");
    }
    const char *end = path;
    do {
        end = *end == 0 ? NULL : strchr(end + 1, '/');
        if (ask(UNIT_MAKE_FOLDER, path, end == NULL ? strlen(path) : (size_t)(end - path)) != 0) {
            return luaL_error(L, "error creating directory");
        }
    } while (end != NULL);
    return 0;
}

// Entries: u8 kind, u32 size, u16 length, name.
static int list_folder(lua_State *L) {
    const char *path = luaL_checkstring(L, 1);
    if (ask(UNIT_LIST, path, strlen(path)) != 0) {
        return luaL_error(L, "directory not found");
    }
    lua_newtable(L);
    lua_Integer number = 1;
    for (size_t at = 0; at + 7 <= unit_answer_length;) {
        uint32_t size;
        uint16_t length;
        memcpy(&size, unit_answer + at + 1, 4);
        memcpy(&length, unit_answer + at + 5, 2);
        if (at + 7 + length > unit_answer_length) {
            break;
        }
        lua_newtable(L);
        lua_pushinteger(L, size);
        lua_setfield(L, -2, "size");
        lua_pushinteger(L, unit_answer[at]);
        lua_setfield(L, -2, "type");
        lua_pushlstring(L, (const char *)unit_answer + at + 7, length);
        lua_setfield(L, -2, "name");
        lua_seti(L, -2, number++);
        at += 7 + length;
    }
    return 1;
}

// It keeps no record: each call runs the module. Source and code have to fit the heap side by side.
static int require(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    const char *file = lua_pushfstring(L, "%s.lua", name);
    if (strlen(file) >= LARGEST_FILE || ask(UNIT_LOAD, file, strlen(file)) != 0) {
        return luaL_error(L, "cannot open file: %s", file);
    }
    size_t length = unit_answer_length;
    if (!unit_fits(length)) {
        unit_ask(UNIT_CRASH, NULL, 0);
    }
    char *source = unit_allocate(NULL, NULL, 0, length + 1);
    memcpy(source, unit_answer, length);
    int status = luaL_loadbuffer(L, source, length, file);
    unit_allocate(NULL, source, length + 1, 0);
    if (status != LUA_OK || lua_pcall(L, 0, LUA_MULTRET, 0) != LUA_OK) {
        return luaL_error(L, "exiting module '%s': %s", name, lua_tostring(L, -1));
    }
    return 1;
}

bool unit_open_files(lua_State *L) {
    static const luaL_Reg methods[] = {{"read", read_file}, {"write", write_file}, {"close", close_file}, {NULL, NULL}};
    static const luaL_Reg functions[] = {
        {"open", open_file}, {"remove", remove_file}, {"rename", rename_file}, {"listdir", list_folder}, {"mkdir", make_folder},
        {NULL, NULL},
    };
    is_dangling = is_closing = false;
    unit_ask(UNIT_MOUNT, NULL, 0);
    bool is_paired = unit_answer_length > 0 && unit_answer[0];
    luaL_newmetatable(L, LUA_FILEHANDLE);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    luaL_newmetatable(L, GUARD);
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 2);
    unit_add_library(L, "file", functions);
    lua_register(L, "require", require);
    return is_paired;
}

void unit_close_files(void) {
    is_closing = true;
    unit_ask(UNIT_UNMOUNT, NULL, 0);
}
