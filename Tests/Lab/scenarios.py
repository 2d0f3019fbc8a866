"""What noafw has to do over the air. A scenario raises Failure; whatever it started ends with it."""

import asyncio
import contextlib
import json
import re
import signal
import time
from dataclasses import dataclass
from typing import Awaitable, Callable

from bench import BINARIES, ROOT

REPL_RECEIVE = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
DFU_CONTROL_POINT = "8ec90001-f315-4f60-9fb8-838830daea50"
DFU_PACKET = "8ec90002-f315-4f60-9fb8-838830daea50"
TIMEOUT = "disconnections 0x08"
# Bytes of the small development image (DevelopmentAssets).
SMALL_FIRMWARE = 16_004


class Failure(Exception):
    """noafw did not do what it has to."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


@dataclass
class Scenario:
    name: str
    title: str
    body: Callable[["Lab"], Awaitable[None]]
    is_full_only: bool


SCENARIOS = []


def scenario(title, is_full_only=False):
    def add(body):
        SCENARIOS.append(Scenario(body.__name__.replace("_", "-"), title, body, is_full_only))
        return body

    return add


class Lab:
    """A bench, the assets, and noafw on it."""

    def __init__(self, bench, assets, small_assets, is_full):
        self.bench, self.assets, self.small_assets, self.is_full = bench, assets, small_assets, is_full
        # Commands of noafw that were started.
        self.commands = []
        self.units = 0
        self.output = None

    def begin(self, name):
        self.name = name
        self.notes = []
        self.log = self.bench.logs / f"noafw-{name}.log"
        self.output = open(self.log, "ab", buffering=0)

    def note(self, text):
        """Tells something beside the result."""
        self.notes.append(text)

    @contextlib.asynccontextmanager
    async def unit(self, rssi=-48, assets=None, **settings):
        """A factory-new unit in reach."""
        self.units += 1
        async with self.bench.unit(f"{self.name}-{self.units}", assets or self.assets, rssi, **settings) as unit:
            unit.folder = self.bench.logs / "units" / f"{self.name}-{self.units}"
            yield unit

    async def start(self, *words, typed=None, seconds=0):
        """Starts noafw in the guest; its output goes into the scenario's log. A line that is typed is its input, open for that long."""
        self.output.write(f"$ noafw {' '.join(words)}\n".encode())
        # One state folder for the whole run, as a station has it.
        words = [BINARIES / "noafw", *words]
        if typed is not None:
            words = ["/bin/sh", "-c", f'(printf "%s\\n" "$0"; sleep {seconds}) | "$@"', typed, *words]
        command = await self.bench.machine.start(
            *words, environment={"NOAFW_STATE_DIR": "/root/noafw"}, folder=ROOT, log=self.output)
        self.commands.append(command)
        return command

    async def noafw(self, *words, code=0, timeout=300):
        """Runs noafw, which has to end with that code; gives the JSON document it printed, if any."""
        return self.ended(await (await self.start(*words)).wait(timeout), code)

    def ended(self, result, code=0):
        try:
            document = json.loads(result.output)
        except ValueError:
            document = {}
        if result.code != code:
            errors = [unit.get("error") for unit in document.get("units", []) if unit.get("error")]
            raise Failure(f"exit code {result.code}, not {code}: {json.dumps(errors) if errors else result.errors[-400:]}")
        return document

    async def flash(self, unit, *words, **options):
        return await self.noafw(*self.flash_words(unit, *words), **options)

    def flash_words(self, unit, *words):
        return ["flash", "--development", "--device", unit.address, "--assets", str(self.assets.folder), "--json", "-v", *words]

    async def verify(self, unit, *words, **options):
        return await self.noafw(
            "verify", "--development", "--device", unit.address, "--assets", str(self.assets.folder), "--json", *words, **options)

    async def tidy(self):
        """Leaves no noafw, bluetoothd running and the adapter on for the next one."""
        for command in self.commands:
            if not command.ended.done():
                command.signal(signal.SIGKILL)
                await command.wait(10)
        self.commands = []
        self.output.close()
        if self.bench.bluetoothd.ended.done():
            await self.bench.start_bluetoothd()
        await self.bench.set_powered(True)
        await self.bench.wait_until_powered(True)


# How many times as long a wait may take, on a busy machine.
patience = 1


async def until(condition, what, timeout=120):
    deadline = time.monotonic() + timeout * patience
    while not condition():
        expect(time.monotonic() < deadline, f"waited {timeout} s for {what}")
        await asyncio.sleep(0.02)


def steps(document):
    return {step["name"]: step["action"] for step in document["units"][0]["steps"]}


# The way of every unit


@scenario("noafw scan: one unit, its address, its signal strength")
async def scan(lab):
    async with lab.unit(rssi=-57) as unit:
        document = await lab.noafw("scan", "--seconds", "3", "--json")
        seen = {sighted["address"]: sighted for sighted in document["units"]}
        expect(unit.address in seen, f"{unit.address} is not among {list(seen)}")
        expect(abs(seen[unit.address]["rssi_dbm"] + 57) <= 2, f"{seen[unit.address]['rssi_dbm']} dBm, not -57")
        expect(seen[unit.address]["mode"] == "application", "it is taken for a bootloader")


@scenario("noafw flash --dry-run: connect, raw REPL, versions; nothing is written")
async def connect(lab):
    async with lab.unit() as unit:
        document = await lab.flash(unit, "--dry-run")
        expect(set(steps(document).values()) == {"planned"}, f"steps {steps(document)}")
        expect(set(unit.mtus) == {256}, f"links with an MTU of {unit.mtus}")
        expect(DFU_PACKET not in unit.counts, "it went to the bootloader")


@scenario("noafw flash: bootloader at address+1 and back, FPGA, scripts; noafw verify, --deep; a second flash")
async def flash(lab):
    async with lab.unit() as unit:
        document = await lab.flash(unit)
        expect(set(steps(document).values()) == {"updated"}, f"steps {steps(document)}")
        expect(len(unit.identities) == 2, "the unit was never in its bootloader")
        await lab.verify(unit)
        await lab.verify(unit, "--deep")
        packets = unit.counts[DFU_PACKET]
        document = await lab.flash(unit)
        expect(set(steps(document).values()) == {"current"}, f"steps of the second run {steps(document)}")
        expect(unit.counts[DFU_PACKET] == packets, "the second run wrote firmware")


@scenario("noafw doctor: the adapter on, off, and bluetoothd gone")
async def doctor(lab):
    async def checks(code):
        document = await lab.noafw("doctor", "--assets", str(lab.assets.folder), "--json", code=code)
        return {check["name"]: (check["status"], check["detail"]) for check in document["checks"]}

    def expect_check(found, name, status, text):
        expect(name in found and found[name][0] == status and text in found[name][1], f"{name}: {found.get(name)}")

    sound = await checks(0)
    expect_check(sound, "bus", "ok", "bluetoothd")
    expect_check(sound, "bluetoothd", "ok", "5.")
    expect_check(sound, "adapter", "ok", "hci0")
    expect_check(sound, "virtual-monocle", "ok", "MicroPython")
    expect_check(sound, "virtual-frame", "ok", "Lua")
    await lab.bench.set_powered(False)
    expect_check(await checks(69), "adapter", "fail", "off")
    await lab.bench.kill_bluetoothd()
    gone = await checks(69)
    expect_check(gone, "bus", "ok", "")
    expect_check(gone, "bluetoothd", "fail", "not running")
    expect("rfkill" in gone, "without bluetoothd the kill switches are not looked at")


# What goes wrong on the air


@scenario("link lost at packet 30 of the firmware; the same command ends well")
async def link_loss_dfu(lab):
    async with lab.unit() as unit:
        unit.cut_after[DFU_PACKET] = 30
        document = await lab.flash(unit, "--only", "firmware")
        expect(not unit.cut_after, "the link was never cut")
        # The link before the jump ends by timeout or, two seconds after noafw asked for it, by bluetoothd.
        expect(unit.counts[TIMEOUT] >= 1, f"the link that was cut did not end by timeout: {dict(unit.counts)}")
        expect(steps(document)["firmware"] == "updated", f"steps {steps(document)}")


@scenario("link lost while the FPGA image is written; the same command ends well")
async def link_loss_fpga(lab):
    async with lab.unit() as unit:
        command = await lab.start(*lab.flash_words(unit, "--only", "fpga"))
        await until(lambda: fpga_is_underway(lab, unit), "the first bytes of the FPGA image")
        unit.cut_link()
        lab.ended(await command.wait(240))
        expect(unit.counts["connections"] >= 2, f"no second link: {dict(unit.counts)}")
        await lab.verify(unit, "--only", "fpga", "--deep")


def fpga_is_underway(lab, unit):
    """The unit's flash holds the beginning of the image, and no commit marker."""
    (entry,) = lab.assets.entries("FPGA")
    start = (lab.assets.folder / "FPGA" / entry["file"]).read_bytes()[:1024]
    flash = (unit.folder / "fpga-flash.bin").read_bytes()
    return flash.startswith(start) and not flash[444_430:].startswith(b"done")


@scenario("one of 60 writes and notifications lost in the firmware's run, one of 250 in the scripts'")
async def packet_loss(lab):
    async with lab.unit() as unit:
        for part, unit.loss in (("firmware", 1 / 60), ("scripts", 1 / 250)):
            await lab.flash(unit, "--only", part)
        expect(unit.counts["lost"] > 0, "nothing was lost")
        unit.loss = 0
        await lab.verify(unit, "--only", "firmware,scripts", "--deep")


@scenario("ATT MTU 23: payloads of 20 bytes, scripts and firmware")
async def mtu_23(lab):
    async with lab.unit(mtu=23) as unit:
        await lab.flash(unit, "--only", "firmware,scripts")
        expect(set(unit.mtus) == {23}, f"links with an MTU of {unit.mtus}")


@scenario("ATT MTU 247: payloads of 244 bytes, scripts and firmware")
async def mtu_247(lab):
    async with lab.unit(mtu=247) as unit:
        await lab.flash(unit, "--only", "firmware,scripts")
        expect(set(unit.mtus) == {247}, f"links with an MTU of {unit.mtus}")


# What goes wrong on the host. Small packets: at full speed a small image is there before the host's order is carried out.


@scenario("bluetoothd killed and started again in the middle of the firmware")
async def bluetoothd_restart(lab):
    async with lab.unit(mtu=23) as unit:
        command = await lab.start(*lab.flash_words(unit, "--only", "firmware"))
        await until(lambda: unit.counts[DFU_PACKET] >= 20, "firmware packets")
        await lab.bench.kill_bluetoothd()
        await asyncio.sleep(1)
        await lab.bench.start_bluetoothd()
        await finish(lab, unit, command)


@scenario("adapter switched off and on again in the middle of the firmware")
async def adapter_off(lab):
    async with lab.unit(mtu=23) as unit:
        command = await lab.start(*lab.flash_words(unit, "--only", "firmware"))
        await until(lambda: unit.counts[DFU_PACKET] >= 20, "firmware packets")
        await lab.bench.set_powered(False)
        await lab.bench.wait_until_powered(False)
        await asyncio.sleep(1)
        await lab.bench.set_powered(True)
        await finish(lab, unit, command)


@scenario("noafw killed in the middle of the firmware; noafw rescue finishes the stranded unit")
async def rescue(lab):
    async with lab.unit(mtu=23) as unit:
        command = await lab.start(*lab.flash_words(unit, "--only", "firmware"))
        await until(lambda: unit.counts[DFU_PACKET] >= 20, "firmware packets")
        command.signal(signal.SIGKILL)
        await command.wait(10)
        # bluetoothd keeps the link of a client that died, and a unit with a link does not advertise.
        expect(unit.current is not None, "bluetoothd has ended the link by itself")
        await lab.noafw("rescue", "--development", "--assets", str(lab.assets.folder), "--json")
        await lab.verify(unit)


async def finish(lab, unit, command):
    """The command takes up where it was by itself, and ends well."""
    lab.ended(await command.wait(240))
    expect(unit.counts["connections"] >= 4, f"it never had to connect again: {dict(unit.counts)}")
    await lab.verify(unit, "--only", "firmware")


@scenario("noafw chat: a question, its answer on the unit's display; the link lost, and the next one")
async def chat(lab):
    async with lab.unit() as unit:
        await lab.flash(unit, "--only", "scripts")
        steps = lab.bench.logs / "chat.txt"
        steps.write_text(
            "send one\nexpect ^I heard: one$ within 60s\nexpect delivered within 60s\n"
            # After the pause between two answers the display begins a new page.
            "expect the unit is ready within 120s\nsend two\nexpect delivered within 60s\n")
        command = await lab.start(
            "chat", "--device", unit.address, "--no-verify", "--assistant", "echo", "--script", str(steps), "--json")
        await until(lambda: '"event":"delivered"' in lab.log.read_text(), "the first answer")
        await until(lambda: shown(unit) == "I heard: one", "the first answer on the display", 30)
        unit.cut_link()
        # It is to be seen while the command still runs: with the link it goes.
        await until(lambda: shown(unit) == "I heard: two", "the second answer on the display")
        lab.ended(await command.wait(60))
        names = [json.loads(line)["event"] for line in lab.log.read_text().splitlines() if line.startswith('{"event"')]
        expect(names.count("lost") >= 1 and names.count("delivered") == 2, f"{names}")


@scenario("noafw chat: a receipt lost on the air; the answer is sent once more and then delivered, in the place of the first")
async def chat_receipt(lab):
    async with lab.unit() as unit:
        await lab.flash(unit, "--only", "scripts")
        unit.lose_next.append(b"got:")
        await lab.noafw(
            "chat", "--device", unit.address, "--no-verify", "--assistant", "echo", "--query", "one", "--json", timeout=120)
        expect(unit.counts[b"got:"] == 1, "no receipt was lost")
        names = [json.loads(line)["event"] for line in lab.log.read_text().splitlines() if line.startswith('{"event"')]
        told = [name for name in names if name in ("sent", "repeated", "delivered", "undeliverable")]
        expect(told == ["sent", "repeated", "delivered"], f"{names}")
        # With the link it goes from the display, two seconds later at the earliest: the query waits for a glance.
        expect("lost" not in names, f"{names}")
        # A unit that gives no receipt any more fails the query.
        unit.lose_next += [b"got:", b"got:"]
        await lab.noafw(
            "chat", "--device", unit.address, "--no-verify", "--assistant", "echo", "--query", "two", "--json", code=1, timeout=120)
        expect('"code":"NOA-0019"' in lab.log.read_text(), "it did not say NOA-0019")


@scenario("noafw chat killed: of two units in reach the next one takes the one that it had, and shows the answer that it has not got")
async def chat_killed(lab):
    words = ["chat", "--no-verify", "--assistant", "echo", "--json"]
    async with lab.unit(rssi=-50) as unit, lab.unit(rssi=-52) as other:
        for each in (unit, other):
            await lab.flash(each, "--only", "scripts")
        command = await lab.start(*words, "--device", unit.address, typed=" ".join(["again"] * 400), seconds=1000)
        await until(lambda: '"event":"answered"' in lab.log.read_text(), "the answer")
        command.signal(signal.SIGKILL)
        await command.wait(60)
        log = lab.log.read_text()
        expect('"event":"delivered"' not in log, "the answer was delivered before the kill")
        links = unit.counts["connections"]
        lab.ended(await (await lab.start(*words, typed="two", seconds=20)).wait(300))
        log = lab.log.read_text()[len(log):]
        expect(f"{unit.address} is still connected" in log, "the link of the killed process was not ended")
        expect(f"2 units are in reach; {unit.address} is the one whose chat was cut off" in log, "it did not say which unit it takes")
        expect("an answer of an earlier chat did not reach the unit" in log, "it did not tell the answer")
        expect(unit.counts["connections"] > links, "the unit has no new link")
        events = [json.loads(line) for line in log.splitlines() if line.startswith('{"event"')]
        told = [event["id"] for event in events if event["event"] == "asked" and "notice" in event]
        delivered = [event["id"] for event in events if event["event"] == "delivered"]
        expect(len(told) == 1 and delivered[:1] == told and len(delivered) == 2, f"told {told}, delivered {delivered}")
        log = lab.log.read_text()
        # Nothing is left: neither the answer nor the choice.
        document = await lab.noafw(*words, code=69)
        expect("did not reach the unit" not in lab.log.read_text()[len(log):], f"it tells the answer again: {document}")


def shown(unit):
    """What a person reads on the unit."""
    try:
        items = json.loads((unit.folder / "display.json").read_text())
    except (OSError, ValueError):
        return ""
    return " ".join(item["text"] for item in items if item.get("text"))


@scenario("a program that dies: flash and verify --deep say FAIL with its last line, and whole scripts bring the unit back")
async def program_dies(lab):
    folder = lab.bench.logs / "dying-scripts"
    folder.mkdir(exist_ok=True)
    (folder / "main.py").write_text("import time\ntime.sleep(2)\nimport nosuchmodule\n")
    async with lab.unit() as unit:
        for verb in (lab.flash, lab.verify):
            words = ["--only", "scripts", "--scripts", str(folder)] + (["--deep"] if verb == lab.verify else [])
            error = (await verb(unit, *words, code=1))["units"][0]["error"]
            expect(error["code"] == "PRV-0040", f"said {error['code']}")
            expect("no module named 'nosuchmodule'" in error["message"], error["message"])
        document = await lab.flash(unit, "--only", "scripts")
        expect(document["units"][0]["program"] == "announced", f"the program is {document['units'][0]['program']}")


# More than one unit


@scenario("two units: no guess, --device takes the one named, --nearest the one beside the adapter")
async def two_units(lab):
    async with lab.unit(rssi=-44) as near, lab.unit(rssi=-71) as far:
        common = ["--development", "--assets", str(lab.assets.folder), "--json", "--dry-run", "--only", "scripts"]
        refusal = await lab.noafw("flash", *common, code=69)
        error = refusal["units"][0]["error"]
        expect(error["code"] == "PRV-0021", f"refused with {error['code']}")
        expect(near.address in error["message"] and far.address in error["message"], error["message"])
        expect(near.counts["connections"] == far.counts["connections"] == 0, "a unit was touched all the same")
        await lab.noafw("flash", "--device", far.address, *common)
        links = far.counts["connections"]
        expect(near.counts["connections"] == 0 and links > 0, "--device took the wrong unit")
        await lab.noafw("flash", "--nearest", *common)
        expect(near.counts["connections"] > 0 and far.counts["connections"] == links, "--nearest took the wrong unit")
        near.set_rssi(-70)
        refusal = await lab.noafw("flash", "--nearest", *common, code=69)
        expect(refusal["units"][0]["error"]["code"] == "PRV-0022", f"{refusal['units'][0]['error']}")


# Traffic and leaks


@scenario("D-Bus messages counted during a firmware transfer: none for a data packet")
async def dbus_traffic(lab):
    async with lab.unit() as unit:
        log = open(lab.bench.own_logs / "dbus.log", "wb")
        monitor = await lab.bench.machine.start("dbus-monitor", "--system", "sender=org.bluez", "destination=org.bluez", log=log)
        await asyncio.sleep(1)
        await lab.flash(unit, "--only", "firmware")
        monitor.signal(signal.SIGINT)
        await monitor.wait(20)
        calls = re.findall(r"^method call .*member=(\w+)$", monitor.text, re.MULTILINE)
        writes, channels = calls.count("WriteValue"), calls.count("AcquireWrite")
        packets = unit.counts[DFU_PACKET]
        lab.note(f"{packets} packets; {len(calls)} calls, of these {writes} WriteValue, {channels} AcquireWrite")
        expect(packets >= 60, f"only {packets} packets")
        expect(channels >= 1, "no AcquireWrite")
        objects = (packets * 244 + 4095) // 4096 + 2
        # SELECT, PRN, CREATE, CHECKSUM, EXECUTE: at most six requests an object.
        expect(writes <= 6 * objects, f"{writes} writes through the bus for {objects} objects")


@scenario("connect, flash, disconnect over and over in one process (5 rounds; lab-full: 100): nothing stays open")
async def rounds(lab):
    # Small images in lab-full, too: it is the number of rounds that shows a leak.
    async with lab.unit(assets=lab.small_assets) as unit:
        count, whole_every = (100, 5) if lab.is_full else (5, 5)
        daemon = Daemon(lab)
        before = await daemon.open_files()
        command = await lab.bench.machine.start(
            BINARIES / "LabRounds", unit.address, count, whole_every, lab.small_assets.folder, folder=ROOT, log=lab.output)
        files = []
        while not command.ended.done():
            await asyncio.sleep(2)
            files.append(await daemon.open_files())
        lab.ended(await command.wait(10))
        lines = [json.loads(line) for line in command.text.splitlines()]
        expect(len(lines) == count, f"{len(lines)} rounds of {count}")
        check_rounds(lab, lines)
        whole = [line["seconds"] for line in lines if line["parts"] == 3]
        jumps = unit.counts[DFU_PACKET] // (SMALL_FIRMWARE // 244)
        expect(jumps >= len(whole) >= 2, f"{jumps} firmware transfers in {len(whole)} whole rounds")
        await daemon.check(before, files)
        lab.note(f"{len(whole)} rounds with all parts, {max(whole):.1f} s each; {lines[1]['seconds']:.1f} s one with scripts alone")


def check_rounds(lab, lines):
    # The first round opens the bus and loads what is loaded once.
    open_files = {line["descriptors"] for line in lines[1:]}
    expect(len(open_files) == 1, f"open files by round: {[line['descriptors'] for line in lines]}")
    kept = [line["unreturned"] for line in lines]
    expect(not any(kept), f"not given back: {kept}")
    # Both halves have rounds of either kind.
    memory = [line["residentKilobytes"] for line in lines]
    half = (len(memory) + 1) // 2
    first, last = max(memory[:half]), max(memory[half:])
    lab.note(f"{open_files.pop()} open files in every round; memory at most {first} kB in the first half, {last} kB in the second")
    expect(last < first * 1.1 + 2048, f"memory grows: {first} to {last} kB")


class Daemon:
    """What bluetoothd has open."""

    def __init__(self, lab):
        self.lab = lab

    async def open_files(self):
        listing = await self.lab.bench.machine.run("ls", f"/proc/{self.lab.bench.bluetoothd.identifier}/fd")
        return len(listing.output.split())

    async def check(self, before, during):
        """Nothing is left of a hundred links, and the last ones needed no more than the first ones."""
        half = len(during) // 2
        first, last = max(during[:half]), max(during[half:])
        deadline = time.monotonic() + 20
        while (after := await self.open_files()) > before and time.monotonic() < deadline:
            await asyncio.sleep(1)
        self.lab.note(f"bluetoothd: {before} open files before, {after} after; at most {first} in the first half, {last} in the second")
        expect(after <= before, f"bluetoothd keeps {after - before} files open")
        expect(last <= first, f"bluetoothd's open files grow: {first} to {last}")
