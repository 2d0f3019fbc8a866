-- Text on the display: 24 columns of the widest usual letters, 6 rows.
local Page = {}
Page.__index = Page

local COLUMNS = 24
local ROWS = 6
local PITCH = 60
local WAITING_LIMIT = 4000

-- What the font lacks and has something like: the slash, and much of Latin-1 below the letters.
local PLAIN = {
    [0x09] = " ", [0x0D] = "", [0x2F] = "\\", [0xA0] = " ", [0xA4] = "$", [0xA6] = "|", [0xA7] = "S.", [0xA8] = '"',
    [0xAA] = "a", [0xAC] = "-", [0xAD] = "", [0xAF] = "-", [0xB2] = "2", [0xB3] = "3", [0xB4] = "'", [0xB6] = "P.",
    [0xB8] = ",", [0xB9] = "1", [0xBA] = "o", [0xBC] = "1\\4", [0xBD] = "1\\2", [0xBE] = "3\\4",
    [0x2013] = "-", [0x2014] = "-", [0x2018] = "'", [0x2019] = "'", [0x201C] = '"', [0x201D] = '"', [0x2026] = "...",
}
local OTHERS = "\u{131}\u{141}\u{142}\u{152}\u{153}\u{160}\u{161}\u{178}\u{17D}\u{17E}\u{192}\u{20AC}"

-- What the font can show of a character (code point).
local function shown(code)
    if PLAIN[code] then return PLAIN[code] end
    local glyph = utf8.char(code)
    if code == 0x0A or (code >= 0x20 and code < 0x7F) or (code > 0xA0 and code < 0x100) or OTHERS:find(glyph, 1, true) then
        return glyph
    end
    return "?"
end

-- The text of UTF-8 bytes, every byte of a broken character as a question mark, and the beginning of a last character
-- whose rest is still to come.
local function plain(data)
    local parts = {}
    local start = 1
    while start <= #data do
        local first = data:byte(start)
        local size = first < 0xC2 and 1 or first < 0xE0 and 2 or first < 0xF0 and 3 or 4
        local bytes = data:sub(start, start + size - 1)
        if #bytes < size and bytes:find("^[\xC2-\xF4][\x80-\xBF]*$") then return table.concat(parts), bytes end
        local ok, code = pcall(utf8.codepoint, bytes)
        if ok and utf8.len(bytes) == 1 then
            parts[#parts + 1] = shown(code)
            start = start + size
        else
            parts[#parts + 1] = "?"
            start = start + 1
        end
    end
    return table.concat(parts), ""
end

local function columns(text)
    return utf8.len(text) or #text
end

-- The first columns of a text, and the rest.
local function split(text, count)
    local place = utf8.offset(text, count + 1) or #text + 1
    return text:sub(1, place - 1), text:sub(place)
end

-- Text that appears word by word. It may come in pieces, cut anywhere; the last rows stay in sight.
function Page.new(color)
    return setmetatable({ color = color, rows = { "" }, waiting = "", rest = "" }, Page)
end

function Page:add(data)
    local text
    text, self.rest = plain(self.rest .. data)
    self.waiting = self.waiting .. text
    while #self.waiting > WAITING_LIMIT do self:step() end
end

-- No more comes: what is left of a broken character is shown.
function Page:finish()
    self.waiting = self.waiting .. ("?"):rep(#self.rest)
    self.rest = ""
end

-- Shows one more word.
function Page:step()
    local blanks, word, rest = self.waiting:match("^([ \n]*)([^ \n]*)(.*)$")
    for blank in blanks:gmatch(".") do self:blank(blank) end
    self:put(word)
    self.waiting = rest
    while #self.rows > ROWS do table.remove(self.rows, 1) end
end

function Page:blank(character)
    local last = #self.rows
    local row = self.rows[last]
    if character == "\n" then
        -- One empty row at most, and none at the top.
        if row ~= "" or (last > 1 and self.rows[last - 1] ~= "") then self.rows[last + 1] = "" end
    elseif row ~= "" and row:sub(-1) ~= " " then
        self.rows[last] = row .. " "
    end
end

function Page:put(word)
    local row = self.rows[#self.rows] .. word
    if columns(row) > COLUMNS then
        -- A word that goes on from an earlier piece moves to the next row as a whole.
        local before, last = row:match("^(.*) ([^ ]*)$")
        if before then
            self.rows[#self.rows] = before
            self.rows[#self.rows + 1] = ""
            row = last
        end
        while columns(row) > COLUMNS do
            self.rows[#self.rows], row = split(row, COLUMNS)
            self.rows[#self.rows + 1] = ""
        end
    end
    self.rows[#self.rows] = row
end

function Page:show()
    frame.display.text(" ", 1, 1) -- something has to be drawn, or the old picture stays
    for index, row in ipairs(self.rows) do
        if row ~= "" then frame.display.text(row:match("^(.-) ?$"), 1, (index - 1) * PITCH + 1, { color = self.color }) end
    end
    frame.display.show()
end

-- One line in the middle and a hint below it.
local function show_screen(title, hint, color)
    local function line(text, y, shade)
        frame.display.text(text, math.max(1, 320 - 11 * #text), y, { color = shade })
    end
    line(title, 140, color)
    if hint then line(hint, 210, "WHITE") end
    frame.display.show()
end

return { Page = Page, show_screen = show_screen }
