// frame.display (lua_libraries/display.c): 640 × 400 pixels, counted from 1. What is drawn appears with show() and is then drawn
// anew. Text is noted as text, a bitmap by its place.
#include <string.h>

#include "unit.h"

#define WIDTH 640
#define HEIGHT 400
#define GLYPH_HEIGHT 48
#define EMOJI_WIDTH 70
#define COLORS 16
#define DRAW_MICROSECONDS 300

static const char *const names[COLORS] = {
    "VOID", "WHITE", "GREY", "RED", "PINK", "DARKBROWN", "BROWN", "ORANGE", "YELLOW", "DARKGREEN", "GREEN", "LIGHTGREEN", "NIGHTBLUE",
    "SEABLUE", "SKYBLUE", "CLOUDBLUE",
};
static const uint32_t factory_palette[COLORS] = {
    0x000000, 0xFFFFFF, 0x9D9D9D, 0xBE2633, 0xE06F8B, 0x493C2B, 0xA46422, 0xEB8931, 0xF7E26B, 0x2F484E, 0x44891A, 0xA3CE27, 0x1B2632,
    0x005784, 0x31A2F2, 0xB2DCEF,
};
static uint32_t palette[COLORS];

// Items: u8 'T', u16 x, u16 y, u32 colour, u16 length, UTF-8, u16 glyphs, u16 x and u8 width of each; or u8 'B', u16 x, u16 y, u16 width,
// u32 bytes, u8 colours, u8 offset, u32 of each colour in the palette, bytes.
static uint8_t drawn[65536];
static size_t drawn_length;

#define BITMAP_HEAD (13 + 4 * COLORS)
#define GLYPHS 1024

// The model keeps what is drawn until it is shown.
static void make_room(size_t length) {
    if (drawn_length + length > sizeof(drawn)) {
        unit_ask(UNIT_DRAW, drawn, drawn_length);
        drawn_length = 0;
    }
}

static void note(const void *bytes, size_t length) {
    memcpy(drawn + drawn_length, bytes, length);
    drawn_length += length;
}

static void note_short(lua_Integer value) { note((uint8_t[]){(uint8_t)value, (uint8_t)(value >> 8)}, 2); }
static void note_word(uint32_t value) { note(&value, 4); }

struct glyph { uint16_t x; uint8_t width; };

static void draw_text(
    lua_Integer x, lua_Integer y, uint32_t color, const char *text, size_t length, const struct glyph *glyphs, size_t count) {
    if (length == 0) {
        return;
    }
    make_room(13 + length + 3 * count);
    note("T", 1);
    note_short(x);
    note_short(y);
    note_word(color);
    note_short((lua_Integer)length);
    note(text, length);
    note_short((lua_Integer)count);
    for (size_t i = 0; i < count; i++) {
        note_short(glyphs[i].x);
        note(&glyphs[i].width, 1);
    }
}

static void draw_rows(
    lua_Integer x, lua_Integer y, lua_Integer width, lua_Integer colors, lua_Integer offset, const char *bytes, size_t length) {
    uint8_t kinds[2] = {(uint8_t)colors, (uint8_t)offset};
    make_room(BITMAP_HEAD + length);
    note("B", 1);
    note_short(x);
    note_short(y);
    note_short(width);
    note_word((uint32_t)length);
    note(kinds, 2);
    note(palette, sizeof(palette));
    note(bytes, length);
}

// The code points beyond ASCII and Latin-1, and what those lack.
static const uint16_t also[] = {0x131, 0x141, 0x142, 0x152, 0x153, 0x160, 0x161, 0x178, 0x17D, 0x17E, 0x192, 0x20AC};
static const uint16_t lacks[] = {
    '/', 0xA0, 0xA4, 0xA6, 0xA7, 0xA8, 0xAA, 0xAC, 0xAD, 0xAF, 0xB2, 0xB3, 0xB4, 0xB6, 0xB8, 0xB9, 0xBA, 0xBC, 0xBD, 0xBE,
};

static bool contains(const uint16_t *codes, size_t count, uint32_t code) {
    while (count > 0 && codes[count - 1] != code) {
        count--;
    }
    return count > 0;
}

static bool is_emoji(uint32_t code) { return code >= 0xF0000 && code <= 0xF0010; }

static bool has_glyph(uint32_t code) {
    if (contains(also, sizeof(also) / sizeof(also[0]), code) || is_emoji(code)) {
        return true;
    }
    bool is_latin = (code >= 0x20 && code <= 0x7E) || (code >= 0xA0 && code <= 0xFF);
    return is_latin && !contains(lacks, sizeof(lacks) / sizeof(lacks[0]), code);
}

// Of 5 to 34 pixels, in five classes.
static int glyph_width(uint32_t code) {
    if (is_emoji(code)) {
        return EMOJI_WIDTH;
    }
    if (code < 0x80 && strchr("iIl!'|.:,;[](){}`jr", (int)code)) {
        return 9;
    }
    if (code < 0x80 && strchr(" \"cst", (int)code)) {
        return 14;
    }
    if (code < 0x80 && strchr("mw@%", (int)code)) {
        return 31;
    }
    return code < 0x80 && strchr("AMQVWXY_*", (int)code) ? 22 : 18;
}

static uint32_t take_code(const char *text, size_t *at) {
    uint8_t first = (uint8_t)text[*at];
    int more = first < 0x80 ? 0 : first >> 5 == 6 ? 1 : first >> 4 == 14 ? 2 : first >> 3 == 30 ? 3 : -1;
    *at += 1;
    if (more < 0) {
        return 0;
    }
    uint32_t code = more == 0 ? first : first & (0x3F >> more);
    for (; more > 0 && text[*at] != 0; more--) {
        code = code << 6 | ((uint8_t)text[(*at)++] & 0x3F);
    }
    return code;
}

static void check_place(lua_State *L, lua_Integer x, lua_Integer y) {
    if (x < 1 || x > WIDTH) {
        luaL_error(L, "x_position must be between 1 and 640 pixels");
    }
    if (y < 1 || y > HEIGHT) {
        luaL_error(L, "y_position must be between 1 and 400 pixels");
    }
}

// VOID is refused.
static int text_color(lua_State *L) {
    const char *name = luaL_checkstring(L, -1);
    for (int i = 1; i < COLORS; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return luaL_error(L, "Invalid color name");
}

// A glyph that the font lacks, or that does not fit, is left out.
static int text(lua_State *L) {
    const char *string = luaL_checkstring(L, 1);
    lua_Integer x = luaL_checkinteger(L, 2), y = luaL_checkinteger(L, 3), start = x, spacing = 4;
    int color = 1;
    if (unit_has(UNIT_NAMED_COLORS) && lua_istable(L, 4)) {
        if (lua_getfield(L, 4, "color") != LUA_TNIL) {
            color = text_color(L);
        }
        if (lua_getfield(L, 4, "spacing") != LUA_TNIL) {
            spacing = luaL_checkinteger(L, -1);
        }
    }
    char shown[2048];
    struct glyph glyphs[GLYPHS];
    size_t length = 0, count = 0;
    for (size_t at = 0; string[at] != 0;) {
        size_t first = at;
        uint32_t code = take_code(string, &at);
        int width = glyph_width(code);
        if (code == 0 || !has_glyph(code) || x + width > WIDTH || y + GLYPH_HEIGHT > HEIGHT) {
            continue;
        }
        check_place(L, x, y);
        unit_charge(DRAW_MICROSECONDS);
        if (length + at - first < sizeof(shown) && count < GLYPHS) {
            glyphs[count++] = (struct glyph){(uint16_t)(x - 1), (uint8_t)width};
            memcpy(shown + length, string + first, at - first);
            length += at - first;
        }
        x += width + spacing;
    }
    draw_text(start, y, palette[color], shown, length, glyphs, count);
    unit_slice();
    return 0;
}

static int bitmap(lua_State *L) {
    size_t length;
    const char *bytes = luaL_checklstring(L, 6, &length);
    lua_Integer x = luaL_checkinteger(L, 1), y = luaL_checkinteger(L, 2), width = luaL_checkinteger(L, 3);
    lua_Integer colors = luaL_checkinteger(L, 4), offset = luaL_checkinteger(L, 5);
    check_place(L, x, y);
    if (width < 1 || width > WIDTH) {
        return luaL_error(L, "width must be between 1 and 640 pixels");
    }
    if (colors != 2 && colors != 4 && colors != 16) {
        return luaL_error(L, "total_colors must be either 2, 4 or 16");
    }
    if (offset < 0 || offset > 15) {
        return luaL_error(L, "palette_offset must be between 0 and 15");
    }
    // Eight rows end with a byte, whatever their width.
    size_t eight_rows = (size_t)width * (colors == 2 ? 1 : colors == 4 ? 2 : 4);
    for (size_t done = 0, part; done < length && y <= HEIGHT; done += part, y += (lua_Integer)(part / eight_rows) * 8) {
        size_t most = (sizeof(drawn) - BITMAP_HEAD) / eight_rows * eight_rows;
        part = length - done < most ? length - done : most;
        draw_rows(x, y, width, colors, offset, bytes + done, part);
    }
    unit_charge((uint32_t)(DRAW_MICROSECONDS + length));
    unit_slice();
    return 0;
}

// Early firmware counts the colours from 1, and looks at the number after the parts' kind.
static int palette_place(lua_State *L) {
    if (!unit_has(UNIT_NAMED_COLORS)) {
        lua_Integer number = luaL_checkinteger(L, 1);
        for (int part = 2; part <= 4; part++) {
            luaL_checkinteger(L, part);
        }
        return number < 1 || number > COLORS ? luaL_error(L, "pallet_index must be between 1 and 16") : (int)number - 1;
    }
    const char *name = luaL_checkstring(L, 1);
    for (int i = 0; i < COLORS; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return luaL_error(L, "Invalid color name");
}

static void check_part(lua_State *L, lua_Integer value, lua_Integer high, const char *message) {
    if (value < 0 || value > high) {
        luaL_error(L, "%s", message);
    }
}

static int assign_color(lua_State *L) {
    int place = palette_place(L);
    lua_Integer red = luaL_checkinteger(L, 2), green = luaL_checkinteger(L, 3), blue = luaL_checkinteger(L, 4);
    check_part(L, red, 255, "red component must be between 0 and 255");
    check_part(L, green, 255, "green component must be between 0 and 255");
    check_part(L, blue, 255, "blue component must be between 0 and 255");
    palette[place] = (uint32_t)(red << 16 | green << 8 | blue);
    return 0;
}

static uint32_t clamp(double value) { return value < 0 ? 0 : value > 255 ? 255 : (uint32_t)value; }

static int assign_color_ycbcr(lua_State *L) {
    int place = palette_place(L);
    lua_Integer y = luaL_checkinteger(L, 2), cb = luaL_checkinteger(L, 3), cr = luaL_checkinteger(L, 4);
    bool is_short = unit_has(UNIT_NAMED_COLORS);
    check_part(L, y, is_short ? 15 : 255, is_short ? "Y component must be between 0 and 15" : "Y component must be between 0 and 255");
    check_part(L, cb, is_short ? 7 : 255, is_short ? "Cb component must be between 0 and 7" : "Cb component must be between 0 and 255");
    check_part(L, cr, is_short ? 7 : 255, is_short ? "Cr component must be between 0 and 7" : "Cr component must be between 0 and 255");
    int depth = is_short ? 32 : 1;
    double light = y * (is_short ? 17 : 1), blue = cb * depth - 128, red = cr * depth - 128;
    palette[place] = clamp(light + 1.402 * red) << 16 | clamp(light - 0.344 * blue - 0.714 * red) << 8 | clamp(light + 1.772 * blue);
    return 0;
}

static int show(lua_State *L) {
    unit_ask(UNIT_SHOW, drawn, drawn_length);
    drawn_length = 0;
    return 0;
}

static int set_brightness(lua_State *L) {
    lua_Integer level = luaL_checkinteger(L, 1);
    return level < -2 || level > 2 ? luaL_error(L, "level must be -2, -1, 0, 1, or 2") : 0;
}

static int write_register(lua_State *L) {
    lua_Integer address = luaL_checkinteger(L, 1), value = luaL_checkinteger(L, 2);
    check_part(L, address, 0xFF, "address must be a 8 bit unsigned number");
    check_part(L, value, 0xFF, "value must be a 8 bit unsigned number");
    return 0;
}

static int power_save(lua_State *L) { return lua_isboolean(L, 1) ? 0 : luaL_error(L, "value must be true or false"); }

void unit_open_display(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"text", text}, {"bitmap", bitmap}, {"assign_color", assign_color}, {"assign_color_ycbcr", assign_color_ycbcr}, {"show", show},
        {"set_brightness", set_brightness}, {NULL, NULL},
    };
    static const luaL_Reg power[] = {{"power_save", power_save}, {"write_register", write_register}, {NULL, NULL}};
    static const luaL_Reg early[] = {{"set_register", write_register}, {NULL, NULL}};
    memcpy(palette, factory_palette, sizeof(palette));
    drawn_length = 0;
    unit_add_library(L, "display", functions);
    unit_add_library(L, "display", unit_has(UNIT_POWER_SAVE) ? power : early);
}
