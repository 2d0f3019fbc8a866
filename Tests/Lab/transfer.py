#!/usr/bin/env python3
"""How fast firmware and an FPGA image go over the lab's air.

Usage: .venv-lab/bin/python Tests/Lab/transfer.py [--loss 0 0.004] [--runs 1] [--older PYTHON]
       [--client COMMAND [--in-bootloader] [--attempts 1]]

Firmware by noafw, by a plain client on bleak (plain_client.py; bleak has to be in .venv-lab), and by COMMAND, in which {address} and
{package} stand for the unit's address and the firmware's file. With --in-bootloader the unit is in its bootloader by then, and the
address is the bootloader's. The FPGA image as noafw sends it, and with --older also to a unit whose interpreter cannot read its input
as bytes, so that the image goes as Python text. See docs/lab.md.
"""

import argparse
import asyncio
import shlex
import time
import zipfile

from bench import ROOT, Assets, Bench
from lab import LOGS, prepare_logs
from scenarios import DFU_CONTROL_POINT, DFU_PACKET, Lab

PYTHON = ROOT / ".venv-lab/bin/python3"


def watch(unit, loss):
    """Notes when requests to the control point arrive; packets are lost from the first one on."""
    times = []
    forward = unit.on_write

    def on_write(identity, uuid, value, answer):
        if uuid == DFU_CONTROL_POINT:
            times.append(time.monotonic())
            unit.loss = loss
        forward(identity, uuid, value, answer)

    unit.on_write = on_write
    return times


async def noafw(lab, unit, package):
    await lab.flash(unit, "--only", "firmware", timeout=900)


async def foreign(lab, words):
    """The bootloader does not answer for long after the last EXECUTE, so the client's own end does not count."""
    command = await lab.bench.machine.start(*words, folder=ROOT, log=lab.output)
    return await command.wait(900)


async def plain(lab, unit, *package):
    result = await foreign(lab, [PYTHON, ROOT / "Tests/Lab/plain_client.py", unit.address, *package])
    if result.code != 0:
        print(f"the plain client failed: {result.errors.strip()[-400:]}", flush=True)
    return result


def other(command, in_bootloader, attempts):
    """A client that finds the bootloader by itself, or meets the unit there; it is started again when it ends badly."""
    name = shlex.split(command)[0].rsplit("/", 1)[-1]

    async def client(lab, unit, package):
        address = (await plain(lab, unit)).output.strip() if in_bootloader else unit.address
        words = shlex.split(command.format(address=address, package=package))
        for attempt in range(1, attempts + 1):
            result = await foreign(lab, words)
            if result.code == 0:
                break
        print(f"{name} ends with code {result.code} at attempt {attempt}", flush=True)

    client.__name__ = name
    return client


async def measure(lab, client, loss, package, byte_count):
    async with lab.unit() as unit:
        times = watch(unit, loss)
        await client(lab, unit, package)
        packets, losses = unit.counts[DFU_PACKET], unit.counts["lost"]
    seconds = times[-1] - times[0] if times else float("nan")
    print(f"{client.__name__:7} loss {loss:.4f}  {seconds:6.2f} s  {byte_count / seconds / 1000:5.1f} kB/s  "
          f"{packets} packets, {losses} packets and notifications lost", flush=True)


async def measure_fpga(lab, name, **settings):
    async with lab.unit(**settings) as unit:
        document = await lab.flash(unit, "--only", "fpga", timeout=900)
    (step,) = [step for step in document["units"][0]["steps"] if step["name"] == "fpga"]
    print(f"FPGA image as {name}  {step['seconds']:6.2f} s  {step['bytes'] / step['seconds'] / 1000:5.1f} kB/s", flush=True)


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loss", nargs="*", type=float, default=[0, 0.004], help="probabilities")
    parser.add_argument("--runs", type=int, default=1, help="of each client at each loss")
    parser.add_argument("--client", help="a third client's command line")
    parser.add_argument("--in-bootloader", action="store_true", help="the third client meets the unit in its bootloader")
    parser.add_argument("--attempts", type=int, default=1, help="how often the third client may be started until it ends well")
    parser.add_argument("--older", help="an interpreter for the unit that cannot read its input as bytes")
    options = parser.parse_args()
    prepare_logs()
    assets = Assets(ROOT)
    package = assets.folder / "Firmware" / assets.entries("Firmware")[0]["file"]
    with zipfile.ZipFile(package) as archive:
        byte_count = archive.getinfo("application.bin").file_size
    print(f"{byte_count} bytes, from the first request to the last")
    clients = [noafw, plain] + ([other(options.client, options.in_bootloader, options.attempts)] if options.client else [])
    async with Bench(LOGS).open() as bench:
        lab = Lab(bench, assets, assets, is_full=True)
        lab.begin("transfer")
        for loss in options.loss:
            for _ in range(options.runs):
                for client in clients:
                    await measure(lab, client, loss, package, byte_count)
        for _ in range(options.runs):
            await measure_fpga(lab, "bytes")
            if options.older:
                await measure_fpga(lab, "text", python=options.older)


if __name__ == "__main__":
    asyncio.run(main())
