-- Messages to the app, and what the app is told of those that came.
local Link = {
    -- The first byte of a message.
    START = "\x10", TEXT = "\x11", AUDIO = "\x12", IMAGE = "\x13", PALETTE = "\x14", ROWS = "\x15", END = "\x16",
    VERSION_REQUEST = "\x17", VERSION = "\x18",
    -- Sent only to an app that has said HELLO over this link.
    CANCEL = "\x19", HELLO = "\x1A", RECEIPT = "\x1B", TAKEN = "\x1C", PING = "\x1D",
    -- An error of `send`.
    LOST = "the link is lost",
    greeted = false,
}

local LEVEL = "1"
local READ_LIMIT = 508 -- bytes; microphones of firmware v24.149 give multiples of 4, and at most 512
local LEAST_ROOM = 20
local PATIENCE_SECONDS = 3

local now = frame.time.utc
local count, register = 0, 0xFFFFFFFF

-- CRC-32 by half bytes: a table of 16 numbers.
local HALVES = {}
for index = 0, 15 do
    local value = index
    for _ = 1, 4 do value = value & 1 == 1 and value >> 1 ~ 0xEDB88320 or value >> 1 end
    HALVES[index] = value
end

-- Bytes of data in one message, a multiple of 4. Before the link's first exchange of sizes max_length() is -1.
function Link.room()
    return math.min(READ_LIMIT, (frame.bluetooth.max_length() - 1) // 4 * 4)
end

-- Sends one message, waiting while the radio is busy, which it also says when nobody is there. A break goes through.
function Link.send(message)
    local start = now()
    while true do
        local ok, problem = pcall(frame.bluetooth.send, message)
        if ok then return end
        if not tostring(problem):find("busy", 1, true) then error(problem, 0) end
        if not frame.bluetooth.is_connected() or now() - start > PATIENCE_SECONDS then error(Link.LOST, 0) end
        frame.sleep(0.005)
    end
end

-- The version in as many messages as it takes. The last one is shorter than the others.
function Link.send_version(send)
    local rest, room = ARGPT_VERSION or "unknown", Link.room()
    send = send or Link.send
    repeat
        local piece = rest:sub(1, room)
        send(Link.VERSION .. piece)
        rest, send = rest:sub(room + 1), Link.send
    until #piece < room
end

-- Tells a new link's app that the program lives; false while nobody can hear it.
function Link.announce()
    Link.greeted = false
    if frame.bluetooth.max_length() < LEAST_ROOM then return false end
    local ok, problem = pcall(Link.send_version, frame.bluetooth.send)
    if ok then return true end
    if problem ~= Link.LOST and not tostring(problem):find("busy", 1, true) then error(problem, 0) end
    return false
end

function Link.greet()
    Link.greeted = true
    Link.send(Link.HELLO .. LEVEL)
end

-- What was accepted since a start message.
function Link.count_from_here()
    count, register = 0, 0xFFFFFFFF
end

function Link.count(data)
    count = count + #data
    for index = 1, #data do
        register = register ~ data:byte(index)
        register = register >> 4 ~ HALVES[register & 15]
        register = register >> 4 ~ HALVES[register & 15]
    end
end

function Link.send_receipt()
    Link.send(Link.RECEIPT .. ("%d %08x"):format(count, register ~ 0xFFFFFFFF))
    Link.count_from_here()
end

return Link
