#!/usr/bin/env python3
"""How fast firmware goes over the lab's air: noafw beside a plain client on bleak (plain_client.py), without loss and with it.

Usage: .venv-lab/bin/python Tests/Lab/transfer.py [--loss 0 0.004] [--runs 1]; bleak has to be in .venv-lab. See docs/lab.md.
"""

import argparse
import asyncio
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


async def plain(lab, unit, package):
    """The bootloader does not answer for long after the last EXECUTE, so the client's own end does not count."""
    command = await lab.bench.machine.start(
        str(PYTHON), str(ROOT / "Tests/Lab/plain_client.py"), unit.address, str(package), folder=ROOT, log=lab.output)
    result = await command.wait(900)
    if result.code != 0:
        raise SystemExit(f"the plain client failed: {result.errors[-400:]}")


async def measure(lab, client, loss, package, byte_count):
    async with lab.unit() as unit:
        times = watch(unit, loss)
        await client(lab, unit, package)
        packets, losses = unit.counts[DFU_PACKET], unit.counts["lost"]
    seconds = times[-1] - times[0]
    print(f"{client.__name__:6} loss {loss:.4f}  {seconds:6.2f} s  {byte_count / seconds / 1000:5.1f} kB/s  "
          f"{packets} packets, {losses} packets and notifications lost", flush=True)


async def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loss", nargs="*", type=float, default=[0, 0.004], help="probabilities")
    parser.add_argument("--runs", type=int, default=1, help="of each client at each loss")
    options = parser.parse_args()
    prepare_logs()
    assets = Assets(ROOT)
    package = assets.folder / "Firmware" / assets.entries("Firmware")[0]["file"]
    with zipfile.ZipFile(package) as archive:
        byte_count = archive.getinfo("application.bin").file_size
    print(f"{byte_count} bytes, from the first request to the last")
    async with Bench(LOGS).open() as bench:
        lab = Lab(bench, assets, assets, is_full=True)
        lab.begin("transfer")
        for loss in options.loss:
            for _ in range(options.runs):
                for client in (noafw, plain):
                    await measure(lab, client, loss, package, byte_count)


if __name__ == "__main__":
    asyncio.run(main())
