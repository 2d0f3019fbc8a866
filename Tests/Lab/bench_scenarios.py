"""What noafw has to do with a robot and a keyboard over the air, and with a keyboard beside a Monocle."""

import asyncio
import contextlib
import csv
import json
import re
import signal
import time
import urllib.request

from bumble.device import Peer

from bench import BINARIES, ROOT
from machine import GUEST
from other_host import other_host
from scenarios import TIMEOUT, expect, scenario, until

ROBOT_RECEIVE = "06386c14-86ea-4d71-811c-48f97c58f8c9"
ROBOT_TRANSMIT = "9bf1103b-834c-47cf-b149-c9e4bcf778a7"
# Seconds. The robot's dead-man, and what the emulation of both sides may add.
DEAD_MAN, SLACK = 0.4, 0.25
# What the lab's clock and a unit's may differ by: a line waits for the link's next interval, of 30 ms.
INTERVALS = 0.06


# The robot


class Wire:
    """The writes that arrive at a unit: when, with or without response, what."""

    def __init__(self, unit):
        self.writes = []
        for name in ("on_write", "on_command"):
            self.tap(unit, name, getattr(unit, name))

    def tap(self, unit, name, forward):
        def take(identity, uuid, value, *answer):
            self.writes.append((time.monotonic(), name == "on_write", bytes(value)))
            forward(identity, uuid, value, *answer)

        setattr(unit, name, take)

    def of(self, beginning):
        return [write for write in self.writes if write[2].startswith(beginning)]


class Duties:
    """What the motors did, by the unit's own record, in the lab's time."""

    def __init__(self, unit, wire):
        with open(unit.folder / "motors.csv") as lines:
            rows = [tuple(map(int, row)) for row in list(csv.reader(lines))[1:]]
        moving = [row for row in rows if row[1] or row[2]]
        expect(moving, "the motors never turned")
        # The first motion is the first line that asks for one.
        first = next(write[0] for write in wire.of(b"c") if write[2] != b"c0,0\n")
        self.rows = [(row[0] / 1000 + first - moving[0][0] / 1000, row[1], row[2]) for row in rows]

    def rest(self, moment):
        """Seconds from that moment, when they turned, until the motors stood for good."""
        before = [row for row in self.rows if row[0] <= moment - INTERVALS]
        expect(before and any(before[-1][1:]), f"the motors did not turn any more: {self.rows[-3:]}")
        expect(self.rows[-1][1:] == (0, 0), f"the motors end at {self.rows[-1][1:]}")
        return max(0, self.rows[-1][0] - moment)

    def next_rest(self, moment):
        """Seconds from that moment until the motors stood."""
        return max(0, next(row[0] for row in self.rows if row[0] >= moment - INTERVALS and row[1:] == (0, 0)) - moment)


@contextlib.asynccontextmanager
async def robot(lab, **settings):
    async with lab.unit(family="openbot", **settings) as unit:
        yield unit, Wire(unit)


async def moving(lab, unit, wire):
    """A drive that is under way, its dead-man fed in time since the motors turned."""
    command = await lab.start("robot", "drive", "120", "120", "--for", "30s", "--device", unit.address)

    def is_fed():
        *_, before, last = [0, 0] + [write[0] for write in wire.of(b"h400")]
        motions = wire.of(b"c120")
        # By more than the clocks may differ.
        return bool(motions) and motions[-1][0] + 2 * INTERVALS < last < before + DEAD_MAN

    await until(is_fed, "the dead-man's food")
    # The link carries it in its next interval.
    await asyncio.sleep(0.05)
    return command


def stop_time(result):
    """Milliseconds, as noafw says it."""
    found = re.search(r"stop delivered: the robot acknowledged it after (\d+) ms", result.output)
    expect(found, f"it says {result.output.strip()!r}")
    return int(found[1])


@scenario("robot: info; a drive and its stop, all by requests although its flags have writes without response alone; SIGTERM in a drive")
async def robot_drive(lab):
    async with robot(lab) as (unit, wire):
        info = await (await lab.start("robot", "info", "--device", unit.address)).wait(60)
        expect(info.code == 0 and "RTR_TT2" in info.output and " V," in info.output, f"{info.output} {info.errors}")
        expect(set(unit.mtus) == {517}, f"links with an MTU of {unit.mtus}")
        expect(await receive_flags(lab, unit) == 'as 1 "write-without-response"', f"flags {await receive_flags(lab, unit)}")
        drive = await (await lab.start("robot", "drive", "100", "-80", "--for", "1s", "--device", unit.address)).wait(60)
        lab.ended(drive)
        end = stop_time(drive)
        stop = wire.of(b"c0,0")[-1][0]
        term = await moving(lab, unit, wire)
        signalled = time.monotonic()
        term.signal(signal.SIGTERM)
        result = await term.wait(30)
        expect(result.code == 130, f"exit code {result.code} after SIGTERM")
        told = stop_time(result)
        await unit.leave()
        duties = Duties(unit, wire)
        rest = duties.rest(signalled)
        expect(rest < DEAD_MAN, f"still {rest:.2f} s after SIGTERM")
        kinds = {is_request for _, is_request, _ in wire.writes}
        expect(kinds == {True}, "a line went without a response")
        expect(wire.writes[-1][2] == b"h-1\n", f"the last line is {wire.writes[-1][2]}")
        expect((100, -80) in [row[1:] for row in duties.rows], f"{duties.rows}")
        lab.note(f"{len(wire.writes)} lines, all requests; the duties were 0 {duties.next_rest(stop) * 1000:.0f} ms after the stop came in, "
                 f"{rest * 1000:.0f} ms after SIGTERM; acknowledged after {end} ms and {told} ms")


async def receive_flags(lab, unit):
    """What bluetoothd says of RX while it knows the unit."""
    path = f"/org/bluez/hci0/dev_{unit.address.replace(':', '_')}"
    tree = await lab.bench.machine.run("busctl", "--system", "tree", "--list", "org.bluez", timeout=30)
    for line in tree.output.split():
        if line.startswith(path) and re.search(r"/char[0-9a-f]{4}$", line):
            uuid, flags = [
                (await lab.bench.machine.run(
                    "busctl", "--system", "get-property", "org.bluez", line, "org.bluez.GattCharacteristic1", name, timeout=30)).output.strip()
                for name in ("UUID", "Flags")
            ]
            if ROBOT_RECEIVE in uuid:
                return flags
    return "no such characteristic"


@scenario("robot: with an ATT MTU of 23 its answer is cut, and looks whole; noafw says BOT-0001, and asks and drives nothing")
async def robot_mtu_23(lab):
    async with robot(lab, mtu=23) as (unit, wire), other_host(lab) as phone:
        for verb in (["info"], ["drive", "100", "100", "--for", "1s"]):
            result = await (await lab.start("robot", *verb, "--device", unit.address)).wait(60)
            expect(result.code == 1 and "BOT-0001" in result.errors, f"{verb[0]} ends with {result.code}: {result.errors[-300:]}")
        expect(set(unit.mtus) == {23}, f"links with an MTU of {unit.mtus}")
        expect(not wire.writes, f"it sent {wire.writes}")
        await unit.advertised.wait()
        answers = await asked_for_features(phone, unit)
        expect(b"fRTR_TT2:v:i:s:b:wf:" in answers, f"the phone is told {answers}")
        lab.note(f"what another client gets: {answers[0].decode(errors='replace')}")


async def asked_for_features(phone, unit):
    async with phone.link(unit) as connection:
        peer = Peer(connection)
        await peer.discover_all()
        receive, transmit = (peer.get_characteristics_by_uuid(uuid)[0] for uuid in (ROBOT_RECEIVE, ROBOT_TRANSMIT))
        answers = []
        await peer.subscribe(transmit, lambda value: answers.append(bytes(value)))
        await peer.write_value(receive, b"f\n", with_response=False)
        await until(lambda: any(answer.startswith(b"f") for answer in answers), "the answer to f", 10)
        return [answer for answer in answers if answer.startswith(b"f")]


@scenario("robot: the sketch of early 2023, whose flags have writes with response alone and which answers nothing; BOT-0002, and no motion")
async def robot_early(lab):
    async with robot(lab, name="early") as (unit, wire):
        result = await (await lab.start("robot", "drive", "100", "100", "--for", "1s", "--device", unit.address)).wait(60)
        expect(result.code == 1 and "BOT-0002" in result.errors, f"exit code {result.code}: {result.errors[-300:]}")
        expect(await receive_flags(lab, unit) == 'as 1 "write"', f"flags {await receive_flags(lab, unit)}")
        expect([write[1:] for write in wire.writes] == [(True, b"f\n")] * 3, f"it sent {wire.writes}")


@scenario("robot: the link lost in a drive; the dead-man acts, noafw stops it over a new link and drives no more: BOT-0007")
async def robot_link_loss(lab):
    async with robot(lab) as (unit, wire):
        command = await moving(lab, unit, wire)
        fed, cut = wire.of(b"h400")[-1][0], time.monotonic()
        unit.cut_link()
        result = await command.wait(60)
        seconds = time.monotonic() - cut
        expect(result.code == 75 and "BOT-0007" in result.errors, f"exit code {result.code}: {result.errors[-400:]}")
        expect("over a new link" in result.output, f"it says {result.output.strip()!r}")
        expect(unit.counts[TIMEOUT] == 1 and unit.counts["connections"] == 2, f"{dict(unit.counts)}")
        after = [value for moment, _, value in wire.writes if moment > cut + 0.1]
        expect(after[0] == b"c0,0\n" and not any(value.startswith(b"c12") for value in after), f"after the loss it sends {after}")
        await check_dead_man(lab, unit, wire, cut, f"the link's loss; the new link's stop ends {seconds:.1f} s after it", fed)


@scenario("robot: noafw killed in a drive; the dead-man stops the motors, and the next drive begins anew")
async def robot_killed(lab):
    async with robot(lab) as (unit, wire):
        command = await moving(lab, unit, wire)
        killed = time.monotonic()
        command.signal(signal.SIGKILL)
        await command.wait(10)
        await asyncio.sleep(1)
        # bluetoothd keeps the link of a client that died.
        expect(unit.current is not None, "bluetoothd has ended the link by itself")
        await check_dead_man(lab, unit, wire, killed, "SIGKILL")
        await unit.enter()
        wire.writes.clear()
        lab.ended(await (await lab.start("robot", "drive", "60", "60", "--for", "500ms", "--device", unit.address)).wait(60))
        expect(wire.writes[-1][2] == b"h-1\n", f"the last line is {wire.writes[-1][2]}")


async def check_dead_man(lab, unit, wire, moment, what, fed=None):
    """Ends the unit, whose record is then whole."""
    fed = fed or wire.of(b"h400")[-1][0]
    await unit.leave()
    duties = Duties(unit, wire)
    rest, fasting = duties.rest(moment), duties.rest(fed)
    lab.note(f"the duties were 0 {rest * 1000:.0f} ms after {what}; {fasting * 1000:.0f} ms after the dead-man's last food")
    expect(rest <= DEAD_MAN + SLACK and fasting <= DEAD_MAN + SLACK, f"the motors ran for {rest:.2f} s after {what}")


# The keyboard


@contextlib.asynccontextmanager
async def keyboard(lab, layout="us", **settings):
    """The unit starts with its own layout; its web page sets another one."""
    async with lab.unit(family="keyboard", **settings) as unit:
        request = urllib.request.Request(f"{unit.url}/keyboard", json.dumps({"layout": layout}).encode())
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        answer = json.loads(await asyncio.to_thread(lambda: direct.open(request, timeout=10).read()))
        expect(answer["success"], f"the unit's page says {answer}")
        yield unit


def reports(unit):
    """What the unit has sent over USB."""
    with open(unit.folder / "hid-reports.txt") as lines:
        return [line.split()[1] for line in lines if not line.startswith("#")]


# Key codes of linux/input-event-codes.h on a keyboard of the United States: the first code of a row, and the row with and without Shift.
ROWS = [
    (2, "1234567890-=", "!@#$%^&*()_+"), (16, "qwertyuiop[]", "QWERTYUIOP{}"), (30, "asdfghjkl;'`", 'ASDFGHJKL:"~'),
    (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"), (15, "\t", ""), (28, "\n", ""), (57, " ", ""),
]
KEYS = {(row[0] + offset, shift): character for row in ROWS for shift in (0, 1) for offset, character in enumerate(row[1 + shift])}
LEFT_SHIFT = 42
TEXT = "Hello, World!\t[noafw] #42\n~$ echo \"it's {ok}\" | wc -c; 7*6=42? <a@b> \\ `x`_%^&+-/:.QZyz("


def text_of(events):
    """What a host with a layout of the United States makes of key events."""
    text, shift = "", 0
    for code, value in events:
        if code == LEFT_SHIFT:
            shift = value
        elif value == 1:
            text += KEYS.get((code, shift), f"<{code}>")
    return text


@scenario("keyboard: noafw type over the air; its USB reports through the guest's /dev/uhid become the kernel's input events, and these the text")
async def keyboard_type(lab):
    async with keyboard(lab) as unit:
        wire = Wire(unit)
        result = await (await lab.start("type", TEXT, "--layout", "us", "--device", unit.address, "--json")).wait(60)
        document = lab.ended(result)
        expect(document["confirmed_keys"] == len(TEXT), f"{document}")
        said = result.output + result.errors
        expect(not any(TEXT[start:start + 6] in said for start in range(len(TEXT) - 5)), "its output has some of the text")
        expect(set(unit.mtus) == {256}, f"links with an MTU of {unit.mtus}")
        expect({is_request for _, is_request, _ in wire.writes} == {True}, "text went without a response")
        sent = reports(unit)
        expect(len(sent) == 2 * len(TEXT), f"{len(sent)} reports for {len(TEXT)} keys")
        result = await lab.bench.machine.run(
            "/usr/bin/python3", GUEST.with_name("usb_host.py"), "".join(sent), folder=ROOT, log=lab.output, timeout=60)
        expect(result.code == 0, result.errors[-400:])
        events = json.loads(result.output)
        expect(text_of(events) == TEXT, f"the host reads {text_of(events)!r}")
        down = [code for code, value in events if value == 1]
        expect(sorted(down) == sorted(code for code, value in events if value == 0), "a key stays down")
        lab.note(f"{len(TEXT)} characters, {len(wire.writes)} writes, {len(sent)} reports, {len(events)} key events")


@scenario("keyboard: ATT MTU 23, in German: writes of 20 bytes, cut between characters of two bytes each")
async def keyboard_mtu_23(lab):
    async with keyboard(lab, layout="de", mtu=23) as unit:
        wire = Wire(unit)
        text = "a" + "äöüß" * 7
        await lab.noafw("type", text, "--layout", "de", "--device", unit.address, "--json")
        expect(set(unit.mtus) == {23}, f"links with an MTU of {unit.mtus}")
        expect([len(value) for _, _, value in wire.writes] == [20, 19, 19, 3], f"writes {wire.writes}")
        usages = [bytes.fromhex(report)[3] for report in reports(unit)[::2]]
        expect(usages == [0x04] + [0x34, 0x33, 0x2F, 0x2D] * 7, f"{usages}")


@scenario("keyboard: the link lost in the middle of a write; noafw says that nobody knows what stands on the host, and goes on with nothing")
async def keyboard_link_loss(lab):
    async with keyboard(lab) as unit:
        wire = Wire(unit)
        text = "the quick brown fox jumps over the lazy dog " * 4
        command = await lab.start("type", text, "--layout", "us", "--device", unit.address)
        await until(lambda: len(wire.writes) == 2, "the second write")
        await asyncio.sleep(1)
        cut = time.monotonic()
        unit.cut_link()
        result = await command.wait(60)
        seconds = time.monotonic() - cut
        expect(result.code == 75 and "KEY-0005" in result.errors, f"exit code {result.code}: {result.errors[-400:]}")
        found = re.search(r"(\d+) of (\d+) keys are typed; (\d+) more may be typed or not", result.errors)
        expect(found and found[0].startswith(f"64 of {len(text)} ") and found[3] == "64", f"it says {result.errors[-400:]}")
        expect(len(wire.writes) == 2 and unit.counts["connections"] == 1, f"after the loss: {wire.writes[2:]}, {dict(unit.counts)}")
        await unit.leave()
        lab.note(f"said {seconds:.1f} s after the cut; the unit typed {len(reports(unit)) // 2} keys of the 64 to 128 that were possible")


# Side by side


@scenario("a Monocle and a keyboard in reach, with one service: flash and console take the Monocle, type the keyboard, each without --device")
async def monocle_and_keyboard(lab):
    async with lab.unit(rssi=-60) as monocle, keyboard(lab, rssi=-44) as keys:
        # It gives up after 20 s.
        stranger = await lab.start("type", "ab", "--layout", "us", "--device", monocle.address)
        document = await lab.noafw("scan", "--seconds", "3", "--json")
        families = {sighted["address"]: sighted["family"] for sighted in document["units"]}
        expect(families == {monocle.address: "monocle", keys.address: "keyboard"}, f"scan shows {families}")
        lab.ended(await (await lab.start("type", "ab", "--layout", "us")).wait(60))
        expect(len(reports(keys)) == 4, f"the keyboard sent {reports(keys)}")
        refused = await stranger.wait(60)
        expect(refused.code == 69, f"type for the Monocle ends with {refused.code}: {refused.errors[-300:]}")
        expect(monocle.counts["connections"] == 0, "type touched the Monocle")
        links, sent = keys.counts["connections"], len(reports(keys))
        document = await lab.noafw("flash", "--development", "--assets", str(lab.assets.folder), "--only", "scripts", "--json")
        expect(document["units"][0]["address"] == monocle.address, f"{document['units'][0]}")
        console = await lab.bench.machine.run(
            "/bin/sh", "-c", 'echo "print(6*7)" | "$0" console', BINARIES / "noafw", environment={"NOAFW_STATE_DIR": "/root/noafw"},
            folder=ROOT, log=lab.output)
        expect(console.code == 0 and console.output.strip() == "42", f"console: {console.code} {console.output} {console.errors[-300:]}")
        expect((keys.counts["connections"], len(reports(keys))) == (links, sent), "flash or console touched the keyboard")
