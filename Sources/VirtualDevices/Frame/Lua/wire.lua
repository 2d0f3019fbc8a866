-- The wires between Lua and the virtual unit's hardware: one request, one reply, over standard input and output.
--
--   to the hardware    NAME LENGTH\n and LENGTH bytes
--   from the hardware  any number of  E KIND LENGTH\n and LENGTH bytes  (an interrupt: data, tap, break)
--                      then           R STATUS LENGTH\n and LENGTH bytes  (STATUS: ok, nil, error)
--
-- Interrupts are noticed when a reply comes. The firmware (luaport.c, bluetooth.c, imu.c) runs every callback from Lua's
-- one debug hook, and the data callback has one buffer: what comes before the last has been taken replaces it.
local sethook, error, pcall, tostring = debug.sethook, error, pcall, tostring
local input, output, exit = io.stdin, io.stdout, os.exit
local main = coroutine.running()

local wire = { callbacks = {} }
local buffer = ""

local hooks = {
    data = function()
        sethook(main)
        local callback = wire.callbacks.data
        if not callback then return end
        local ok, problem = pcall(callback, buffer)
        if not ok then error(tostring(problem), 0) end
    end,
    tap = function()
        sethook(main)
        if wire.callbacks.tap then pcall(wire.callbacks.tap) end
    end,
    ["break"] = function()
        sethook(main)
        error("break signal")
    end,
}

local function receive(length)
    if length == "0" then return "" end
    return input:read(tonumber(length)) or exit(0)
end

-- Asks the hardware. Returns its answer, or nil; raises an error when it refuses.
function wire.call(name, payload)
    payload = payload or ""
    output:write(name, " ", #payload, "\n", payload)
    output:flush()
    local hook, kind, status, length
    repeat
        kind, status, length = (input:read("l") or exit(0)):match("^(%u) (%l+) (%d+)$")
        if not kind then exit(1) end
        local body = receive(length)
        if kind == "R" then
            payload = body
        elseif status == "break" or wire.callbacks[status] then
            hook = hooks[status]
            if status == "data" then buffer = body end
        end
    until kind == "R"
    if hook then sethook(main, hook, "crl", 1) end
    if status == "error" then error(payload, 3) end
    if status == "ok" then return payload end
    return nil
end

return wire
