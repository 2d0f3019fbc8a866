"""A client that nobody here wrote drives a Frame: the community's frame-ble on bleak, run in the guest. Usage: frame_client.py NAME.

It never pairs, so the bond has to be there. Prints one JSON document: what each step gave.
"""

import asyncio
import json
import sys

from frame_ble import FrameBle

# Every character that the upload escapes, over several pieces.
SOURCE = "-- \"quotes\" 'single' \\ backslash\ttab\n" + "\n".join(f"t{i} = '{i}'" for i in range(60)) + "\nprint('module ' .. t59)\n"
MESSAGE = bytes(range(256)) * 3


async def main(name):
    data = []
    frame = FrameBle()
    address = await frame.connect(name=name, timeout=20, data_response_handler=lambda value: data.append(bytes(value)))
    found = {"address": address, "payload": frame.max_lua_payload()}

    async def ask(code):
        return await frame.send_lua(code, await_print=True)

    await frame.send_break_signal()
    found["version"] = await ask("print(frame.FIRMWARE_VERSION)")
    await frame.upload_file_from_string(SOURCE, "foreign.lua")
    found["size"] = await ask("for _, e in ipairs(frame.file.listdir('/')) do if e.name == 'foreign.lua' then print(e.size) end end")
    found["required"] = await ask("require('foreign')")
    await frame.send_lua("while true do frame.sleep(0.01) end")
    await frame.send_break_signal()
    found["after break"] = await ask("print('prompt')")
    await ask("frame.bluetooth.receive_callback(function(d) pcall(frame.bluetooth.send, d) end) print(1)")
    found["echo"] = bytes(await frame.send_data(b"hello", await_data=True)).decode()
    data.clear()
    await frame.send_message(0x20, MESSAGE)
    found["message"] = b"".join([data[0][3:]] + [packet[1:] for packet in data[1:]]) == MESSAGE
    await ask("kept = 1 print(kept)")
    await frame.send_reset_signal()
    await asyncio.sleep(1)
    found["after reset"] = await ask("print(tostring(kept))")
    await frame.disconnect()
    print(json.dumps(found))


asyncio.run(main(*sys.argv[1:]))
