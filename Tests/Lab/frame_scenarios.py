"""What noafw has to do with a Frame over the air: its bond first of all."""

import contextlib
import json
import signal

from bench import ROOT
from other_host import other_host
from scenarios import DFU_PACKET, expect, scenario, shown, steps, until

RECEIVE = "7a230002-5475-a6a4-654c-8431f6ad49c4"


@contextlib.asynccontextmanager
async def frame_unit(lab, **settings):
    async with lab.unit(family="frame", **settings) as unit:
        yield unit


async def pair(lab, unit, **options):
    return await lab.noafw("pair", "--device", unit.address, "--json", **options)


async def device_property(lab, unit, name):
    path = f"/org/bluez/hci0/dev_{unit.address.replace(':', '_')}"
    result = await lab.bench.machine.run(
        "busctl", "--system", "get-property", "org.bluez", path, "org.bluez.Device1", name, timeout=30)
    return result.output.strip()


def parts(document):
    """A Frame's FPGA image is a part of its firmware."""
    return {name: action for name, action in steps(document).items() if name != "fpga"}


@scenario("Frame: a bond from cold by noafw pair, used by the next link; without bluetoothd's record the unit refuses, told with the remedy")
async def frame_bond(lab):
    async with frame_unit(lab) as unit:
        expect((await pair(lab, unit))["bond"] == "made", "the first pair found a bond")
        expect(await device_property(lab, unit, "Bonded") == "b true", "bluetoothd keeps no bond")
        expect((await lab.bench.adapter_property("get-property", "Pairable")).output.strip() == "b false", "the adapter stays pairable")
        expect((await pair(lab, unit))["bond"] == "kept", "the second pair made another bond")
        expect((unit.counts["pairings asked"], unit.counts["keys used"]) == (1, 1), f"{dict(unit.counts)}")
        document = await lab.noafw("unpair", "--device", unit.address, "--json")
        expect(document["bond"] == "removed", f"unpair: {document}")
        error = (await pair(lab, unit, code=1))["error"]
        expect(error["code"] == "BLE-0011" and "cradle" in error["hint"], f"told as {error}")
        expect(unit.counts["pairings refused"] == 2, f"{dict(unit.counts)}")
        expect(unit.bond is not None, "the unit lost its bond")


@scenario("Frame: the bond lost on the unit's side; the record is removed after two links, the unit paired anew, and that is told")
async def frame_bond_lost(lab):
    async with frame_unit(lab) as unit:
        await pair(lab, unit)
        unit.lose_bond()
        await unit.restart()
        document = await pair(lab, unit)
        expect(document["bond"] == "made", f"{document}")
        expect("removes this host's bond" in lab.log.read_text(), "the removal is not told")
        expect(unit.counts["disconnections 0x3D"] == 2, f"{dict(unit.counts)}")
        expect((await pair(lab, unit))["bond"] == "kept", "the new bond is not kept")


@scenario("Frame: flash from cold, bootloader at address+1 and back, scripts; verify, --deep; a second flash")
async def frame_flash(lab):
    async with frame_unit(lab) as unit:
        document = await lab.flash(unit)
        expect(set(parts(document).values()) == {"updated"}, f"steps {steps(document)}")
        expect(len(unit.identities) == 2, "the unit was never in its bootloader")
        expect(unit.counts["pairings asked"] == 1, f"{dict(unit.counts)}")
        await lab.verify(unit, "--deep")
        packets = unit.counts[DFU_PACKET]
        document = await lab.flash(unit)
        expect(set(parts(document).values()) == {"current"}, f"steps of the second run {steps(document)}")
        expect(unit.counts[DFU_PACKET] == packets, "the second run wrote firmware")


@scenario("Frame: the link lost in the firmware and, after it, in a script; the same command ends well")
async def frame_link_loss(lab):
    async with frame_unit(lab) as unit:
        unit.cut_after[DFU_PACKET] = 30
        document = await lab.flash(unit, "--only", "firmware")
        expect(not unit.cut_after, "the link was never cut in the firmware")
        expect(steps(document)["firmware"] == "updated", f"steps {steps(document)}")
        unit.cut_after[RECEIVE] = unit.counts[RECEIVE] + 60
        document = await lab.flash(unit, "--only", "scripts")
        expect(not unit.cut_after, "the link was never cut in the scripts")
        expect(steps(document)["scripts"] == "updated", f"steps {steps(document)}")
        await lab.verify(unit, "--deep")


@scenario("Frame: noafw chat, a question, its answer on the display; the link lost, and the next one")
async def frame_chat(lab):
    async with frame_unit(lab) as unit:
        await lab.flash(unit, "--only", "scripts")
        words = lab.bench.logs / "frame-chat.txt"
        words.write_text(
            "send one\nexpect ^I heard: one$ within 60s\nexpect delivered within 60s\n"
            "expect the unit is ready within 120s\nsend two\nexpect delivered within 60s\n")
        command = await lab.start(
            "chat", "--device", unit.address, "--no-verify", "--assistant", "echo", "--script", str(words), "--json")
        await until(lambda: '"event":"delivered"' in lab.log.read_text(), "the first answer")
        await until(lambda: "I heard: one" in shown(unit), "the first answer on the display", 30)
        unit.cut_link()
        await until(lambda: "I heard: two" in shown(unit), "the second answer on the display")
        lab.ended(await command.wait(60))
        names = [json.loads(line)["event"] for line in lab.log.read_text().splitlines() if line.startswith('{"event"')]
        expect(names.count("lost") >= 1 and names.count("delivered") == 2, f"{names}")


@scenario("Frame: noafw chat killed over a ready link; the next one ends that link, uses its bond and shows the answer that was not delivered")
async def frame_chat_killed(lab):
    words = ["chat", "--no-verify", "--assistant", "echo", "--json"]
    async with frame_unit(lab) as unit:
        await lab.flash(unit, "--only", "scripts")
        command = await lab.start(*words, typed="one\n" + " ".join(["again"] * 400), seconds=1000)
        await until(lambda: lab.log.read_text().count('"event":"answered"') == 2, "the second answer")
        command.signal(signal.SIGKILL)
        await command.wait(60)
        log = lab.log.read_text()
        expect(log.count('"event":"delivered"') == 1, "the second answer was delivered before the kill")
        links, keys, pairings = (unit.counts[name] for name in ("connections", "keys used", "pairings asked"))
        lab.ended(await (await lab.start(*words, typed="three", seconds=20)).wait(300))
        log = lab.log.read_text()[len(log):]
        expect(f"{unit.address} is still connected" in log, "the link of the killed process was not ended")
        expect(unit.counts["connections"] > links and unit.counts["keys used"] > keys, f"{dict(unit.counts)}")
        expect(unit.counts["pairings asked"] == pairings == 1, f"paired again: {dict(unit.counts)}")
        events = [json.loads(line) for line in log.splitlines() if line.startswith('{"event"')]
        told = [event["id"] for event in events if event["event"] == "asked" and "notice" in event]
        delivered = [event["id"] for event in events if event["event"] == "delivered"]
        expect(len(told) == 1 and delivered[:1] == told and len(delivered) == 2, f"told {told}, delivered {delivered}")


@scenario("Frame: a client that nobody here wrote (frame-ble on bleak) over the bond that noafw made: print, upload, break, data, reset")
async def frame_foreign(lab):
    async with frame_unit(lab) as unit:
        await pair(lab, unit)
        result = await lab.bench.machine.run(
            ROOT / ".venv-lab/bin/python", ROOT / "Tests/Lab/frame_client.py", unit.current_name, folder=ROOT, log=lab.output, timeout=100)
        expect(result.code == 0, result.errors[-400:])
        found = json.loads(result.output)
        lab.note(f"{found}")
        expect(found["address"] == unit.address and found["payload"] == 244, f"{found}")
        expect(found["version"].startswith("v"), f"{found}")
        expect(found["required"] == "module 59", f"{found}")
        expect(found["after break"] == "prompt" and found["echo"] == "hello" and found["message"], f"{found}")
        expect(found["after reset"] == "nil", f"{found}")


@scenario("Frame: bonded to another host, it refuses this one, told with the remedy, and serves the other on; bonded to this one, the other way round")
async def frame_stranger(lab):
    async with other_host(lab) as phone:
        async with frame_unit(lab) as unit:
            expect(await phone.pair(unit), "the other host makes no bond")
            bond = unit.bond
            for verb in (["pair"], ["verify", "--development", "--assets", str(lab.assets.folder)]):
                document = await lab.noafw(*verb, "--device", unit.address, "--json", code=1)
                error = document.get("error") or document["units"][0]["error"]
                expect(error["code"] == "BLE-0011" and "cradle" in error["hint"], f"{verb[0]} says {error}")
            expect(unit.bond == bond, "the unit's bond is another one")
            expect(await phone.encrypt(unit), "the other host is refused now")
        async with frame_unit(lab) as unit:
            expect((await pair(lab, unit))["bond"] == "made", "no bond with this host")
            bond = unit.bond
            expect(not await phone.pair(unit), "the other host got a bond")
            expect(unit.bond == bond, "the unit's bond is another one")
            expect((await pair(lab, unit))["bond"] == "kept", "this host's bond is gone")
