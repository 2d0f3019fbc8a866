-- The `frame` table of the virtual unit, as the firmware's lua_libraries describe it.
local wire, root = ...
local call = wire.call
local open, remove, rename = io.open, os.remove, os.rename

local frame = {
    FIRMWARE_VERSION = "v25.080.0838",
    GIT_TAG = "virtual",
    HARDWARE_VERSION = "Frame",
    bluetooth = {}, camera = {}, display = {}, file = {}, imu = {}, microphone = {}, time = {},
}

local function check(condition, message)
    if not condition then error(message, 3) end
end

local function integer(value, name)
    local number = math.tointeger(value)
    if not number then error(name .. " has to be an integer", 3) end
    return number
end

local function callback(kind, value)
    check(value == nil or type(value) == "function", "expected nil or function")
    wire.callbacks[kind] = value
end

-- System and time

function frame.battery_level() return tonumber(call("battery")) end
function frame.stay_awake() end
function frame.update() call("update") end

function frame.time.utc(value)
    if value == nil then return tonumber(call("time")) end
end

-- Callbacks run meanwhile, as the firmware's loop asks for the time through Lua (system.c).
function frame.sleep(seconds)
    check(type(seconds) == "number", "the virtual unit does not power down")
    -- In whole microseconds, as the hardware counts: a sum of floating-point numbers may lie a hair above.
    local ending = ("%.6f"):format(frame.time.utc() + seconds)
    repeat until tonumber(call("sleep", ending)) >= tonumber(ending)
end

-- Bluetooth

function frame.bluetooth.address() return call("address") end
function frame.bluetooth.is_connected() return call("connected") == "1" end
-- The first byte of a payload marks it as data.
function frame.bluetooth.max_length() return tonumber(call("payload")) - 1 end
function frame.bluetooth.receive_callback(value) callback("data", value) end

function frame.bluetooth.send(data)
    check(#data <= frame.bluetooth.max_length(), "string length is greater than max_length()")
    call("send", data)
end

-- Display: 640 × 400 pixels, counted from 1. What is drawn appears with show() and is then drawn anew.

local WIDTH, HEIGHT, GLYPH_WIDTH, GLYPH_HEIGHT = 640, 400, 20, 48
local COLORS = {
    VOID = 0x000000, WHITE = 0xFFFFFF, GREY = 0x9D9D9D, RED = 0xBE2633, PINK = 0xE06F8B, DARKBROWN = 0x493C2B,
    BROWN = 0xA46422, ORANGE = 0xEB8931, YELLOW = 0xF7E26B, DARKGREEN = 0x2F484E, GREEN = 0x44891A,
    LIGHTGREEN = 0xA3CE27, NIGHTBLUE = 0x1B2632, SEABLUE = 0x005784, SKYBLUE = 0x31A2F2, CLOUDBLUE = 0xB2DCEF,
}
local drawn = {}

local function quoted(text)
    return '"' .. text:gsub('[%c"\\]', function(character) return ("\\u%04x"):format(character:byte()) end) .. '"'
end

-- The font has ASCII and Latin-1; a glyph that it lacks, or that does not fit, is left out.
local function glyphs(text, x, y, spacing)
    local shown = {}
    for _, code in utf8.codes(text, true) do
        local known = (code >= 0x20 and code <= 0x7E) or (code >= 0xA1 and code <= 0xFF)
        if known and x + GLYPH_WIDTH <= WIDTH and y + GLYPH_HEIGHT <= HEIGHT then
            shown[#shown + 1] = utf8.char(code)
            x = x + GLYPH_WIDTH + spacing
        end
    end
    return table.concat(shown)
end

local function check_place(x, y)
    if x < 1 or x > WIDTH then error("x_position must be between 1 and 640 pixels", 3) end
    if y < 1 or y > HEIGHT then error("y_position must be between 1 and 400 pixels", 3) end
end

function frame.display.text(text, x, y, options)
    x, y = integer(x, "x"), integer(y, "y")
    check_place(x, y)
    options = options or {}
    local color = COLORS[options.color or "WHITE"]
    check(color, "Invalid color name")
    check(utf8.len(text), "the virtual font shows UTF-8 only")
    local shown = glyphs(text, x, y, options.spacing or 4)
    drawn[#drawn + 1] = ('{"kind": "text", "text": %s, "x": %d, "y": %d, "color": %d}'):format(quoted(shown), x, y, color)
end

function frame.display.bitmap(x, y, width, colors, offset, data)
    x, y = integer(x, "x"), integer(y, "y")
    check_place(x, y)
    check(width >= 1 and width <= WIDTH, "width must be between 1 and 640 pixels")
    check(colors == 2 or colors == 4 or colors == 16, "total_colors must be either 2, 4 or 16")
    check(offset >= 0 and offset <= 15, "palette_offset must be between 0 and 15")
    drawn[#drawn + 1] = ('{"kind": "bitmap", "x": %d, "y": %d, "width": %d, "bytes": %d}'):format(x, y, width, #data)
end

function frame.display.assign_color(name, red, green, blue)
    check(COLORS[name], "Invalid color name")
    for _, part in ipairs { red, green, blue } do check(part >= 0 and part <= 255, "components are 0 to 255") end
    COLORS[name] = red << 16 | green << 8 | blue
end

function frame.display.show()
    if #drawn > 0 then call("display", "[\n  " .. table.concat(drawn, ",\n  ") .. "\n]\n") end
    drawn = {}
end

-- Microphone: `record` stops by itself and reads nil when it has nothing (firmware before v25); `start` goes on until
-- `stop` and reads an empty string meanwhile.

local endless = false

local function listen(options, limit)
    options = options or {}
    local rate, depth = options.sample_rate or 8000, options.bit_depth or 8
    check(rate == 8000 or rate == 16000, "invalid sample rate")
    check(depth == 8 or depth == 16, "invalid bit depth")
    call("listen", ("%d %d %d"):format(limit * 1000 // 1, depth, rate))
end

function frame.microphone.record(options)
    listen(options, options and options.seconds or 60)
    endless = false
end

function frame.microphone.start(options)
    check(not endless, "already started")
    listen(options, 60)
    endless = true
end

function frame.microphone.stop()
    endless = false
    call("unlisten")
end

function frame.microphone.read(count)
    check(integer(count, "bytes") <= 512, "too many bytes requested")
    check(count % 4 == 0, "bytes must be a multiple of 4")
    local samples = call("sound", tostring(count))
    return samples or (endless and "" or nil)
end

-- Camera

function frame.camera.auto(options)
    check(options == nil or type(options) == "table", "expected a table")
    return { error = 1.0, shutter = 500.0, gain = 1.0 }
end

function frame.camera.capture(options)
    check(type(options) == "table", "expected a table")
    call("capture")
end

function frame.camera.image_ready() return call("captured") == "1" end

function frame.camera.read(count)
    check(integer(count, "bytes") > 0, "bytes must be greater than 0")
    return call("picture", tostring(count))
end

function frame.camera.sleep() end
function frame.camera.wake() end

-- Motion

function frame.imu.tap_callback(value) callback("tap", value) end
function frame.imu.direction() return { pitch = 0.0, roll = 0.0 } end

-- Files: names are relative to the unit's file system.

local function path(name)
    check(type(name) == "string" and not name:find("..", 1, true) and not name:find("\0", 1, true), "invalid name")
    return root .. "/" .. name
end

local File = {}
File.__index = File
function File:write(data) self.handle:write(data) end
function File:read(count) return self.handle:read(count or "l") end
function File:close() self.handle:close() end

function frame.file.open(name, mode)
    mode = mode or "read"
    mode = ({ r = "rb", w = "wb", a = "ab", read = "rb", write = "wb", append = "ab" })[mode]
    check(mode, "mode must be 'read', 'write', or 'append'")
    local handle = open(path(name), mode)
    check(handle, "cannot open file: " .. name)
    return setmetatable({ handle = handle }, File)
end

function frame.file.remove(name) check(remove(path(name)), "cannot remove file: " .. name) end
function frame.file.rename(old, new) check(rename(path(old), path(new)), "cannot rename file: " .. old) end

local loaded = {}

function frame.file.require(name)
    if loaded[name] == nil then
        local file = open(path(name .. ".lua"), "rb")
        check(file, "cannot open file: " .. name .. ".lua")
        local source = file:read("a")
        file:close()
        local chunk, problem = load(source, "@" .. name .. ".lua", "t")
        check(chunk, problem)
        local value = chunk(name)
        loaded[name] = value == nil and true or value
    end
    return loaded[name]
end

return frame
