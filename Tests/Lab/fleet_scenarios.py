"""What noafw has to do with many units and with more than one adapter."""

import asyncio
import contextlib
import signal

from bumble.hci import Address

from bench import ADDRESSES
from machine import HCI_PORTS
from scenarios import DFU_PACKET, expect, scenario, until

FIRST, SECOND = HCI_PORTS


@contextlib.asynccontextmanager
async def units(lab, count):
    """So many units side by side; they boot at once."""
    async with contextlib.AsyncExitStack() as stack:
        yield await asyncio.gather(*(stack.enter_async_context(lab.unit(rssi=-45 - number)) for number in range(count)))


async def most_links(units, command):
    """How many of the units had a link at the same time, while a command ran."""
    most = 0
    while not command.ended.done():
        most = max(most, sum(unit.current is not None for unit in units))
        await asyncio.sleep(0.05)
    return most


async def flash_all(lab, units, *words):
    """Flashes them by one command, without a fault; gives how many were linked at once."""
    listed = lab.bench.logs / f"{lab.name}.txt"
    listed.write_text("".join(f"{unit.address}\n" for unit in units))
    command = await lab.start(
        "flash", "--devices", str(listed), "--development", "--assets", str(lab.assets.folder), "--only", "scripts", "--json", *words)
    most = await most_links(units, command)
    document = lab.ended(await command.wait(10))
    verdicts = {unit["address"]: unit["verdict"] for unit in document["units"]}
    expect(verdicts == {unit.address: "pass" for unit in units}, f"verdicts {verdicts}")
    return most


async def remembered(lab):
    """The addresses of the devices in bluetoothd's storage."""
    result = await lab.bench.machine.run("find", "/var/lib/bluetooth", "-name", "info", timeout=30)
    return {line.split("/")[-2] for line in result.output.split()}


async def expect_forgotten(lab, units):
    left = await remembered(lab) & {unit.address for unit in units}
    expect(not left, f"bluetoothd remembers {left}")


@scenario("two units at once over one adapter: scripts by one command; bluetoothd remembers neither")
async def fleet_two(lab):
    async with units(lab, 2) as both:
        await lab.flash(both[0], "--dry-run", "--only", "scripts")
        expect(both[0].address in await remembered(lab), "one that was connected is not remembered at all")
        most = await flash_all(lab, both)
        expect(most == 2, f"{most} at once")
        await expect_forgotten(lab, both)


@scenario("four units at once over one adapter (--jobs 4)")
async def fleet_four(lab):
    async with units(lab, 4) as four:
        most = await flash_all(lab, four, "--jobs", "4")
        expect(most >= 3, f"{most} at once")
        await expect_forgotten(lab, four)


@scenario("four units over two adapters: both work at once")
async def fleet_two_adapters(lab):
    async with lab.bench.second_adapter() as second, units(lab, 4) as four:
        counts = lab.bench.count_links()
        most = await flash_all(lab, four, "--adapter", "hci0", "--adapter", second)
        expect(most >= 3, f"{most} at once")
        expect(all(counts.values()), f"links by adapter: {counts}")
        await expect_forgotten(lab, four)


@scenario("both adapters taken out in the middle of the firmware and numbered anew: the one that was meant goes on")
async def renumbered(lab):
    async with lab.bench.second_adapter(), lab.unit(mtu=23) as unit:
        counts = lab.bench.count_links()
        command = await lab.start(*lab.flash_words(unit, "--only", "firmware", "--adapter", "hci0"))
        await until(lambda: unit.counts[DFU_PACKET] >= 20, "firmware packets")
        await renumber(lab, SECOND, FIRST)
        try:
            lab.ended(await command.wait(150))
            expect(counts[SECOND] == 0 and counts[FIRST] >= 4, f"links by adapter: {counts}")
            await lab.verify(unit, "--only", "firmware", "--adapter", ADDRESSES[FIRST])
        finally:
            await renumber(lab, FIRST, SECOND)


async def renumber(lab, *ports):
    """Takes both adapters out and plugs them in again, so that they are numbered in that order."""
    for port in HCI_PORTS:
        await lab.bench.unplug(port)
    for port in ports:
        await lab.bench.plug(port)
        await lab.bench.wait_for_adapter(port)


@scenario("two adapters with one address: bluetoothd shows the first one alone; the other is refused, and doctor tells why")
async def adapter_twins(lab):
    controller = lab.bench.adapters[SECOND]
    own = controller.public_address
    controller.public_address = Address(ADDRESSES[FIRST], Address.PUBLIC_DEVICE_ADDRESS)
    await lab.bench.plug(SECOND)
    try:
        await lab.bench.wait_for_file("/sys/class/bluetooth/hci1")
        document = await lab.noafw("scan", "--adapter", "hci1", "--seconds", "1", "--json", code=69)
        expect(document["error"]["code"] == "BLZ-0053", f"{document}")
        document = await lab.noafw("doctor", "--assets", str(lab.assets.folder), "--json")
        details = [check["detail"] for check in document["checks"] if check["name"] == "adapter"]
        expect("does not show hci1" in details[0], f"{details}")
    finally:
        await lab.bench.unplug(SECOND)
        controller.public_address = own


@scenario("a client killed inside Connect: bluetoothd goes on with its attempt, and noafw gets its link all the same")
async def killed_in_connect(lab):
    async with lab.unit() as unit:
        await lab.flash(unit, "--dry-run")
        await unit.leave()
        path = f"/org/bluez/hci0/dev_{unit.address.replace(':', '_')}"
        client = await lab.bench.machine.start("busctl", "--system", "--timeout=60", "call", "org.bluez", path, "org.bluez.Device1", "Connect")
        await asyncio.sleep(1)
        client.signal(signal.SIGKILL)
        await client.wait(10)
        await unit.enter()
        await lab.flash(unit, "--dry-run")
