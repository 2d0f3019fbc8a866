-- Tap and ask: the unit's side of the app messages. See state.lua for what happens when.
local graphics = require("graphics")
local State = require("state")

-- The first byte of a message.
local START, TEXT, AUDIO, IMAGE, END = "\x10", "\x11", "\x12", "\x13", "\x16"
local VERSION_REQUEST, VERSION = "\x17", "\x18"

-- Signed 8-bit samples, mono.
local SECONDS, RATE = 6, 8000
local READ_LIMIT = 508 -- bytes; the microphone gives multiples of 4, and at most 512

local PAUSE_SECONDS = 0.04
local STEP_SECONDS = 0.1
local WORD_SECONDS = 0.15
local GRACE_SECONDS = 1.5
local PATIENCE_SECONDS = 3
local EXPOSURE_SECONDS = 1
local ANSWER_SECONDS = 60
local INBOX_LIMIT = 24

local SCREENS = {
    welcome = { "noa", "connect the app", "WHITE" },
    reconnect = { "Link lost", "waiting for the app", "YELLOW" },
    ready = { "Tap to speak", "tap twice for a photo", "WHITE" },
    looking = { "Hold still", "tap to cancel", "YELLOW" },
    listening = { "Listening", "tap to cancel", "SKYBLUE" },
    thinking = { "Thinking", "tap to cancel", "SKYBLUE" },
}

local LINK_LOST, NO_PICTURE = {}, {}

local state = State.new()
local inbox = {}
local task -- takes a step when called; true when done
local page = graphics.Page.new("WHITE")
local away = "welcome"
local fresh = true -- the next text begins an answer
local muted = false -- what comes next belongs to a cancelled request
local dirty = true
local entered, worded = 0, 0

local now = frame.time.utc

-- Sends one message, waiting while the radio is busy. A break signal goes through.
local function send(message)
    local start = now()
    while true do
        local ok, problem = pcall(frame.bluetooth.send, message)
        if ok then return end
        if not tostring(problem):find("busy", 1, true) then error(problem, 0) end
        if not frame.bluetooth.is_connected() or now() - start > PATIENCE_SECONDS then error(LINK_LOST, 0) end
        frame.sleep(0.005)
    end
end

-- Bytes of data in one message, a multiple of 4.
local function room()
    return math.min(READ_LIMIT, (frame.bluetooth.max_length() - 1) // 4 * 4)
end

local function send_version()
    local rest = ARGPT_VERSION or "unknown"
    repeat
        send(VERSION .. rest:sub(1, room()))
        rest = rest:sub(room() + 1)
    until rest == ""
end

-- Records and sends at the same time, a while in each step. The microphone runs until it is stopped.
local function recording(follows_image)
    if not follows_image then send(START) end
    local left, piece, begun = SECONDS * RATE, "", now()
    -- Firmware before v25 calls it `record` and stops by itself.
    local start = frame.microphone.start or frame.microphone.record
    frame.microphone.stop()
    start { seconds = SECONDS, sample_rate = RATE, bit_depth = 8 }

    local function fill(size)
        while #piece < size do
            -- It takes multiples of 4, and gives what it has: nil or an empty string for nothing yet.
            local samples = frame.microphone.read((size - #piece + 3) // 4 * 4)
            if not samples or samples == "" then return false end
            piece = piece .. samples
        end
        return true
    end

    return function()
        local step = now()
        while left > 0 and now() - step < STEP_SECONDS do
            local size = math.min(room(), left)
            if not fill(size) then
                if now() - begun < SECONDS + GRACE_SECONDS then return false end
                left = #piece
            end
            if piece ~= "" then send(AUDIO .. piece:sub(1, size)) end
            left = math.max(0, left - size)
            piece = piece:sub(size + 1)
        end
        if left > 0 then return false end
        frame.microphone.stop()
        send(END)
        return true
    end
end

-- Takes a picture and sends it, a while in each step: JPEG, or RGB332 from early firmware.
local function picture()
    local begun, captured, sent = now(), false, false
    return function()
        if not captured then
            -- The exposure settles over several frames.
            frame.camera.auto {}
            frame.sleep(0.1)
            if now() - begun < EXPOSURE_SECONDS then return false end
            frame.camera.capture {}
            captured, begun = true, now()
        end
        if not sent and frame.camera.image_ready and not frame.camera.image_ready() then
            if now() - begun > PATIENCE_SECONDS then error(NO_PICTURE, 0) end
            return false
        end
        local step = now()
        while now() - step < STEP_SECONDS do
            local piece = frame.camera.read(room())
            if not piece or piece == "" then
                if not sent and now() - begun > PATIENCE_SECONDS then error(NO_PICTURE, 0) end
                return sent
            end
            if not sent then send(START) end
            sent = true
            send(IMAGE .. piece)
        end
        return false
    end
end

local function draw()
    if state.now == "answering" then
        page:show()
    else
        local screen = SCREENS[state.now == "away" and away or state.now]
        graphics.show_screen(table.unpack(screen))
    end
end

local function on(event)
    local before = state.now
    if not state:on(event) then return false end
    entered, dirty = now(), true
    if task and before == "listening" then frame.microphone.stop() end
    task = nil
    if state.now == "away" then away = "reconnect" end
    if state.now ~= "thinking" and state.now ~= "answering" then muted, fresh = false, true end
    if state.now == "looking" or state.now == "listening" then
        -- The display first: what follows takes a while.
        dirty = false
        draw()
        task = state.now == "looking" and picture() or recording(before == "looking")
    end
    return true
end

local function fail(text)
    if state.now == "away" then return end
    on("error")
    task = nil
    page = graphics.Page.new("YELLOW")
    page:add(text)
    fresh = true
end

-- A start message begins an answer; so does the first text after a question, an error or an end message.
local function answer(kind, data)
    if muted or state.now == "looking" or state.now == "listening" then
        if kind == END then muted = false end
    elseif kind == START then
        fresh = true
    elseif kind == TEXT then
        if on("text") or fresh then page = graphics.Page.new("WHITE") end
        fresh = false
        page:add(data)
    elseif not fresh then
        page:finish()
        fresh = true
    end
end

local function handle(message)
    local kind, data = message:sub(1, 1), message:sub(2)
    if kind == VERSION_REQUEST then
        send_version()
    elseif kind == START or kind == TEXT or kind == END then
        answer(kind, data)
    end
end

local function look_at_taps()
    local before = state.now
    local gesture = state:gesture()
    if gesture and on(gesture) and before == "thinking" then muted = true end
end

local function look_at_time()
    if state.now == "thinking" and now() - entered > ANSWER_SECONDS then
        fail("No answer came.")
    elseif state.now == "ready" and muted and now() - entered > ANSWER_SECONDS then
        muted = false
    elseif state.now == "answering" and page.waiting ~= "" and now() - worded > WORD_SECONDS then
        worded = now()
        page:step()
        dirty = true
    end
end

local function step()
    if not frame.bluetooth.is_connected() then
        on("lost")
    elseif on("link") then
        inbox = {}
    end
    while #inbox > 0 do handle(table.remove(inbox, 1)) end
    look_at_taps()
    if task and task() then on("sent") end
    look_at_time()
    if dirty then
        dirty = false
        draw()
    end
end

local function recover(problem)
    if problem == LINK_LOST then
        on("lost")
    elseif problem == NO_PICTURE then
        fail("The camera gives no picture.")
    elseif tostring(problem):find("break signal", 1, true) then
        error(problem, 0) -- a host wants the prompt
    else
        -- Whatever it was must not come back at once, and not end the loop.
        task = nil
        frame.sleep(1)
        fail("Something went wrong.")
    end
end

-- The two callbacks run in the middle of anything else: they only take notes.
frame.bluetooth.receive_callback(function(data)
    if #inbox < INBOX_LIMIT then inbox[#inbox + 1] = data end
end)
frame.imu.tap_callback(function() state:touched() end)

while true do
    local ok, problem = pcall(step)
    if not ok then recover(problem) end
    frame.sleep(task and 0.005 or PAUSE_SECONDS)
end
