-- What the unit hears and sees, on its way to the app: tasks that take a step each time they are called.
local Media = {
    -- An error of a picture.
    NO_PICTURE = "no picture",
}

-- Signed 8-bit samples, mono.
local SECONDS, RATE = 6, 8000
local STEP_SECONDS = 0.1
local GRACE_SECONDS = 1.5
local PATIENCE_SECONDS = 3
local EXPOSURE_SECONDS = 1
local CAPTURE_SECONDS = 0.3
-- The microphone takes this long to stop. A start or a stop meanwhile reboots the unit.
local SETTLE_SECONDS = 0.06

local now = frame.time.utc
local stopped = now()
-- It runs on through a break and a reset.
local runs = true

local function settle()
    if now() - stopped < SETTLE_SECONDS then frame.sleep(SETTLE_SECONDS) end
end

function Media.silence()
    if not runs then return end
    settle()
    frame.microphone.stop()
    runs, stopped = false, now()
end

local function listen()
    Media.silence()
    settle()
    runs = true
    -- Firmware before v24.155 has `record`, which stops by itself.
    local start = frame.microphone.start or frame.microphone.record
    start { seconds = SECONDS, sample_rate = RATE, bit_depth = 8 }
end

-- Records and sends at the same time.
function Media.recording(link, follows_image)
    if not follows_image then link.send(link.START) end
    local left, piece, begun = SECONDS * RATE, "", now()
    listen()

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
            local size = math.min(link.room(), left)
            if not fill(size) then
                if now() - begun < SECONDS + GRACE_SECONDS then return false end
                left = #piece
            end
            if piece ~= "" then link.send(link.AUDIO .. piece:sub(1, size)) end
            left = math.max(0, left - size)
            piece = piece:sub(size + 1)
        end
        if left > 0 then return false end
        Media.silence()
        link.send(link.END)
        return true
    end
end

-- Takes a picture and sends it.
function Media.picture(link)
    local begun, captured, ready, sent = now(), false, false, false

    -- Since v24.248 `image_ready` also fetches the picture's length, so it is asked until it says yes, and never again.
    -- Earlier firmware has to be left the time: a read that comes too soon gets an empty picture.
    local function is_ready()
        if not frame.camera.image_ready then return now() - begun > CAPTURE_SECONDS end
        return frame.camera.image_ready()
    end

    return function()
        if not captured then
            -- The exposure settles over several frames.
            frame.camera.auto {}
            frame.sleep(0.1)
            if now() - begun < EXPOSURE_SECONDS then return false end
            frame.camera.capture {} -- without a table it fails
            captured, begun = true, now()
        end
        ready = ready or is_ready()
        if not ready then
            if now() - begun > PATIENCE_SECONDS then error(Media.NO_PICTURE, 0) end
            return false
        end
        local step = now()
        while now() - step < STEP_SECONDS do
            local piece = frame.camera.read(link.room())
            if not piece or piece == "" then
                if not sent and now() - begun > PATIENCE_SECONDS then error(Media.NO_PICTURE, 0) end
                return sent
            end
            if not sent then link.send(link.START) end
            sent = true
            link.send(link.IMAGE .. piece)
        end
        return false
    end
end

return Media
