-- A picture from the app: 4 bits a pixel, 400 pixels a row. It is drawn as it comes, and seen when it is complete.
local Picture = {}

local WIDTH, BYTES, HEIGHT = 400, 200, 400
local LEFT = (640 - WIDTH) // 2 + 1
local PALETTE_BYTES = 48 -- 16 times red, green, blue

local NAMES = {
    "VOID", "WHITE", "GREY", "RED", "PINK", "DARKBROWN", "BROWN", "ORANGE",
    "YELLOW", "DARKGREEN", "GREEN", "LIGHTGREEN", "NIGHTBLUE", "SEABLUE", "SKYBLUE", "CLOUDBLUE",
}
-- The colours of texts, and of what is behind them.
local USUAL = {
    [1] = { 0x00, 0x00, 0x00 }, [2] = { 0xFF, 0xFF, 0xFF }, [9] = { 0xF7, 0xE2, 0x6B }, [15] = { 0x31, 0xA2, 0xF2 },
}

local palette, rest = nil, ""
local rows, drawn = HEIGHT, 0
local recoloured = false

local function assign(index, red, green, blue)
    -- Firmware up to v24.200 numbers its colours, later firmware names them.
    if not pcall(frame.display.assign_color, NAMES[index], red, green, blue) then
        frame.display.assign_color(index, red, green, blue)
    end
end

-- The palette, and the number of rows where the app tells it.
function Picture.begin(data)
    Picture.leave()
    palette = #data >= PALETTE_BYTES and data or nil
    rows, drawn, rest = HEIGHT, 0, ""
    if #data >= PALETTE_BYTES + 2 then rows = math.min(HEIGHT, (string.unpack(">I2", data, PALETTE_BYTES + 1))) end
end

function Picture.add(data)
    if not palette then return end
    rest = rest .. data
    while #rest >= BYTES and drawn < rows do
        frame.display.bitmap(LEFT, (HEIGHT - rows) // 2 + drawn + 1, WIDTH, 16, 0, rest:sub(1, BYTES))
        rest = rest:sub(BYTES + 1)
        drawn = drawn + 1
    end
    if drawn == rows then rest = "" end
end

-- No more comes.
function Picture.finish()
    if palette and drawn > 0 then
        for index = 1, 16 do assign(index, palette:byte(index * 3 - 2, index * 3)) end
        recoloured = true
        frame.display.show()
    end
    palette, drawn = nil, 0
end

-- Something else will be drawn: what was drawn and not shown goes, and texts get their colours back.
function Picture.leave()
    if drawn > 0 then frame.display.show() end
    palette, drawn = nil, 0
    if not recoloured then return end
    recoloured = false
    for index, color in pairs(USUAL) do assign(index, table.unpack(color)) end
end

return Picture
