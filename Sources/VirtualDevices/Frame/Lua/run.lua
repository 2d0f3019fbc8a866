-- Runs Lua as the unit's processor does after reset: main.lua, then the prompt.
--
--   lua5.4 run.lua LUA_FOLDER FILES_FOLDER [early]      early: the libraries of firmware before v25
local folder, files, age = ...
local wire = assert(loadfile(folder .. "/wire.lua"))()
frame = assert(loadfile(folder .. "/frame.lua"))(wire, files)
if age == "early" then frame.microphone.start, frame.camera.image_ready = nil, nil end

local exit, call, load = os.exit, wire.call, load
-- The firmware opens base, coroutine, table, string, math, utf8 and debug.
io, os, package, dofile, loadfile, arg = nil, nil, nil, nil, nil, nil
require = frame.file.require
-- What leads from a program to the host's files and programs: the registry, and the functions and values of others. Lua does not
-- check compiled code.
for _, name in ipairs {
    "debug", "getinfo", "getlocal", "getregistry", "getupvalue", "setlocal", "setupvalue", "upvalueid", "upvaluejoin",
} do
    debug[name] = nil
end
function _G.load(chunk, name, mode, ...)
    assert(mode == nil or mode:find("t", 1, true), "attempt to load a binary chunk")
    return load(chunk, name, "t", ...)
end

function print(...)
    local parts = table.pack(...)
    for index = 1, parts.n do parts[index] = tostring(parts[index]) end
    call("print", table.concat(parts, "\t"))
end

local function run(source)
    local chunk, problem = load(source, source, "t")
    if chunk then
        local ok
        ok, problem = pcall(chunk)
        if ok then return end
    end
    -- A unit without a program is silent.
    if not tostring(problem):find("cannot open file: main.lua", 1, true) then print(problem) end
end

run("require('main')")
while true do
    local ok, command = pcall(call, "command")
    if ok and command == "\4" then exit(0) end
    -- A 0 byte ends a command.
    if ok and command then run(command:match("^[^\0]*")) else pcall(frame.sleep, 0.01) end
end
