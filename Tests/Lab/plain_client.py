"""A plain DFU client on bleak, run in the guest by transfer.py: no receipts, a checksum and a retry for each object.

Written from Nordic's protocol alone. Usage: plain_client.py ADDRESS [PACKAGE], the address of the unit's application. Without a package
it leaves the unit in its bootloader, whose address it prints and bluetoothd then knows.
"""

import asyncio
import struct
import sys
import zipfile
import zlib

from bleak import BleakClient, BleakScanner

REPL_RECEIVE = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
REPL_TRANSMIT = "6e400003-b5a3-f393-e0a9-e50e24dcca9e"
CONTROL_POINT = "8ec90001-f315-4f60-9fb8-838830daea50"
PACKET = "8ec90002-f315-4f60-9fb8-838830daea50"
PAGE = 4096
ATTEMPTS = 50
PATIENCE = 3
EXECUTE = 4


async def find(address):
    device = await BleakScanner.find_device_by_address(address, timeout=60)
    if device is None:
        raise SystemExit(f"{address} is not heard")
    return device


async def jump(address):
    """From the application into the bootloader, which ends the link by its silence."""
    gone = asyncio.Event()
    async with BleakClient(await find(address), disconnected_callback=lambda _: gone.set()) as client:
        await client.start_notify(REPL_TRANSMIT, lambda *_: None)
        for text in (b"\x03", b"\x03", b"import update;update.micropython()\r\n"):
            await client.write_gatt_char(REPL_RECEIVE, text, response=False)
            await asyncio.sleep(0.5)
        await asyncio.wait_for(gone.wait(), 60)


class Transfer:
    def __init__(self, client):
        self.client = client
        self.answers = asyncio.Queue()
        self.repeated = 0
        self.payload = client.services.get_characteristic(PACKET).max_write_without_response_size

    async def ask(self, *request):
        """Asks again where no answer comes; EXECUTE was carried out when it is refused then."""
        for attempt in range(ATTEMPTS):
            await self.client.write_gatt_char(CONTROL_POINT, bytes(request), response=True)
            try:
                answer = await asyncio.wait_for(self.answers.get(), PATIENCE)
            except asyncio.TimeoutError:
                continue
            if answer[:3] == bytes([0x60, request[0], 1]) or (attempt and answer == bytes([0x60, EXECUTE, 8])):
                return answer[3:]
            raise SystemExit(f"{bytes(request).hex()} is answered {answer.hex()}")
        raise SystemExit(f"{bytes(request).hex()} is never answered")

    async def send(self, kind, content, end):
        """The bytes of `content` up to `end` that begin with its last object."""
        start = (end - 1) // PAGE * PAGE
        for _ in range(ATTEMPTS):
            await self.ask(1, kind, *struct.pack("<I", end - start))
            for place in range(start, end, self.payload):
                await self.client.write_gatt_char(PACKET, content[place:min(place + self.payload, end)], response=False)
            if struct.unpack("<II", await self.ask(3)) == (end, zlib.crc32(content[:end])):
                break
            self.repeated += 1
        await self.ask(EXECUTE)

    async def run(self, init_packet, image):
        await self.client.start_notify(CONTROL_POINT, lambda _, value: self.answers.put_nowait(bytes(value)))
        await self.ask(2, 0, 0)
        await self.send(1, init_packet, len(init_packet))
        for start in range(0, len(image), PAGE):
            await self.send(2, image, min(start + PAGE, len(image)))


async def main(address, package=None):
    await jump(address)
    octets = address.split(":")
    bootloader = ":".join(octets[:5] + [f"{(int(octets[5], 16) + 1) & 0xFF:02X}"])
    device = await find(bootloader)
    if package is None:
        print(bootloader)
        return
    with zipfile.ZipFile(package) as archive:
        init_packet, image = archive.read("application.dat"), archive.read("application.bin")
    client = BleakClient(device)
    await client.connect()
    transfer = Transfer(client)
    await transfer.run(init_packet, image)
    print(f"{transfer.repeated} objects sent again")


asyncio.run(main(*sys.argv[1:]))
