-- Tap and ask: the unit's side of the app messages. See state.lua for what happens when.

local INBOX_LIMIT = 24
local inbox, touched = {}, nil

-- The callbacks run in the middle of anything else: they only take notes. They are registered once, and first of all: until
-- then a message calls what an earlier program had registered.
frame.bluetooth.receive_callback(function(data)
    if #inbox < INBOX_LIMIT then inbox[#inbox + 1] = data end
end)
frame.imu.tap_callback(function()
    if touched then touched() end
end)

local graphics = require("graphics")
local link = require("link")
local media = require("media")
local picture = require("picture")
local State = require("state")

local PAUSE_SECONDS = 0.04
local SHORT_PAUSE_SECONDS = 0.005
local WORD_SECONDS = 0.15
local ANSWER_SECONDS = 60

local SCREENS = {
    welcome = { "noa", "connect the app", "WHITE" },
    reconnect = { "Link lost", "waiting for the app", "YELLOW" },
    ready = { "Tap to speak", "tap twice for a photo", "WHITE" },
    looking = { "Hold still", "tap to cancel", "YELLOW" },
    listening = { "Listening", "tap to cancel", "SKYBLUE" },
    thinking = { "Thinking", "tap to cancel", "SKYBLUE" },
}

local state = State.new()
local task -- takes a step when called; true when done
local page = graphics.Page.new("WHITE")
local away = "welcome"
local fresh = true -- the next text begins an answer
local cancels = false -- the app has to be told that nobody waits
local muted = false -- what comes next belongs to a cancelled request
local dirty = true
local entered, worded = 0, 0

local now = frame.time.utc

touched = function() state:touched() end

local function is_recording() return state.now == "looking" or state.now == "listening" end

local function draw()
    if state.now == "showing" then return end
    picture.leave()
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
    if before == "listening" then media.silence() end
    task = nil
    if state.now == "away" then away, inbox, cancels = "reconnect", {}, false end
    if state.now ~= "thinking" and state.now ~= "answering" and state.now ~= "showing" then muted, fresh = false, true end
    if is_recording() then
        -- The display first: what follows takes a while.
        dirty = false
        draw()
        task = state.now == "looking" and media.picture(link) or media.recording(link, before == "looking")
    end
    return true
end

local function fail(text)
    if state.now == "away" then return end
    cancels = cancels or is_recording()
    on("error")
    task = nil
    page = graphics.Page.new("YELLOW")
    page:add(text)
    fresh, dirty = true, true
end

-- A start message begins an answer; so does the first text after a question, an error or an end message.
local function answer(kind, data)
    if kind == link.START then
        fresh = true
        link.count_from_here()
    elseif kind == link.TEXT then
        if on("text") or fresh then page = graphics.Page.new("WHITE") end
        fresh = false
        page:add(data)
        link.count(data)
    elseif kind == link.PALETTE then
        on("picture")
        picture.begin(data)
        link.count(data)
    elseif kind == link.ROWS then
        if state.now == "showing" then picture.add(data) end
        link.count(data)
    elseif state.now == "showing" then
        picture.finish()
    elseif not fresh then
        page:finish()
        fresh = true
    end
end

local function handle(message)
    local kind, data = message:sub(1, 1), message:sub(2)
    if kind == link.HELLO then return link.greet() end
    if kind == link.VERSION_REQUEST then
        link.send_version()
    elseif kind == link.CANCEL then
        -- The app's answer to ours: what comes after it is new.
        muted = false
    elseif kind == link.PING then
        -- Silence says that nobody waits for what was asked.
        if not muted then link.send(message) end
    elseif muted or is_recording() then
        -- Passed over. An app that has not greeted tells with an end message that nothing more comes.
        if kind == link.END and not link.greeted then muted = false end
    elseif kind == link.RECEIPT then
        link.send_receipt()
    elseif kind == link.START or kind == link.TEXT or kind == link.PALETTE or kind == link.ROWS or kind == link.END then
        answer(kind, data)
    end
    -- The firmware keeps one message: the app sends the next when this one is taken.
    if link.greeted then link.send(link.TAKEN) end
end

local function look_at_taps()
    local before, was_busy = state.now, state:busy()
    local gesture = state:gesture()
    if gesture and on(gesture) and was_busy then
        muted = before == "thinking"
        cancels = true
    end
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
    elseif state.now == "away" and link.announce() then
        on("link")
    end
    while #inbox > 0 do handle(table.remove(inbox, 1)) end
    look_at_taps()
    if cancels then
        cancels = false
        if link.greeted then link.send(link.CANCEL) end
    end
    if task and task() then on("sent") end
    look_at_time()
    if dirty then
        dirty = false
        draw()
    end
end

local function recover(problem)
    problem = tostring(problem)
    if problem == link.LOST then
        on("lost")
    elseif problem == media.NO_PICTURE then
        fail("The camera gives no picture.")
    elseif problem:find("break signal", 1, true) then
        error(problem, 0) -- a host wants the prompt
    else
        -- Whatever it was must not come back at once, and not end the loop. A host may listen.
        task = nil
        print(problem)
        frame.sleep(1)
        fail("Something went wrong.")
    end
end

media.silence()

while true do
    local ok, problem = pcall(step)
    if not ok then recover(problem) end
    frame.sleep((task or state.now == "showing") and SHORT_PAUSE_SECONDS or PAUSE_SECONDS)
end
