-- What the unit does, and what moves it on. Nothing in here touches hardware but the clock.
local State = {}
State.__index = State

local NEXT = {
    away = { link = "ready" }, -- no app listens
    ready = { tap = "listening", double = "looking", text = "answering", picture = "showing" },
    looking = { sent = "listening", tap = "ready", double = "ready" }, -- a picture is on its way to the app
    listening = { sent = "thinking", tap = "ready", double = "ready" }, -- sound is on its way to the app
    thinking = { text = "answering", tap = "ready", double = "ready", picture = "showing" }, -- the app works on an answer
    answering = { tap = "listening", double = "looking", picture = "showing" }, -- an answer or an error is on the display
    showing = { tap = "listening", double = "looking", text = "answering" }, -- a picture is on the display, or on its way there
}

local DOUBLE_SECONDS = 0.4

function State.new()
    return setmetatable({ now = "away", taps = 0, tapped = 0 }, State)
end

-- Takes an event; true when it led to another state.
function State:on(event)
    local following
    if event == "lost" then
        following = "away"
    elseif event == "error" and self.now ~= "away" then
        following = "answering"
    else
        following = NEXT[self.now][event]
    end
    if following == nil or following == self.now then return false end
    self.now = following
    return true
end

function State:busy()
    return self.now == "looking" or self.now == "listening" or self.now == "thinking"
end

-- For the tap callback, which runs in the middle of anything else: it only takes a note.
function State:touched()
    self.taps = self.taps + 1
    if self.taps == 1 then self.tapped = frame.time.utc() end
end

-- nil, "tap" or "double". The unit feels taps and not how long a finger stays. What cancels need not wait for a second tap.
function State:gesture()
    if self.taps == 0 then return nil end
    local waited = frame.time.utc() - self.tapped
    if self.taps == 1 and waited >= 0 and waited < DOUBLE_SECONDS and not self:busy() then return nil end
    local gesture = self.taps > 1 and "double" or "tap"
    self.taps = 0
    return gesture
end

return State
