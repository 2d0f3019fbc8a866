#!/usr/bin/env python3
"""make lab: noafw flashes virtual units over the air, through a real bluetoothd and a real kernel. See docs/lab.md."""

import argparse
import asyncio
import collections
import importlib.metadata
import itertools
import json
import shlex
import shutil
import subprocess
import sys
import time
import traceback
from pathlib import Path

import bench_scenarios  # noqa: F401  (add their scenarios)
import fleet_scenarios  # noqa: F401
import frame_scenarios  # noqa: F401
import scenarios
from bench import BINARIES, ROOT, Assets, Bench
from machine import LabError
from scenarios import SCENARIOS, Failure, Lab

LOGS = ROOT / ".lab"
# How many guests work side by side, and the seconds between their starts.
GUESTS = 3
BOOT_INTERVAL = 15
# Seconds for a scenario, which only one that hangs needs; ten times as long with images of full size.
LIMIT = 600
# Seconds for a scenario that is ended to give back what it has.
CLEAN_UP = 60


def prepare_logs():
    LOGS.mkdir(exist_ok=True)
    for entry in LOGS.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def make_small_assets():
    """The repository's scripts; images that take seconds, signed with the development key."""
    folder = LOGS / "assets"
    shutil.copytree(ROOT / "Scripts", folder / "Scripts")
    for part in ("Firmware", "FPGA"):
        (folder / part).mkdir()
        manifest = json.loads((ROOT / part / "manifest.json").read_text())
        manifest = {"entries": [entry for entry in manifest["entries"] if "standIn" in entry]}
        (folder / part / "manifest.json").write_text(json.dumps(manifest))
    for name in ("development-key.pem", "development-key.pub.pem"):
        shutil.copy(ROOT / "Firmware" / name, folder / "Firmware")
    subprocess.run([BINARIES / "DevelopmentAssets", "--small", folder], check=True)
    return Assets(folder)


async def stack(bench):
    """What the scenarios run on: one line for each part."""
    async def first_line(*argv):
        result = await bench.machine.run(*argv)
        return (result.output.strip().splitlines() or ["?"])[0]

    return [
        ("kernel", f"Linux {await first_line('uname', '-r')} (hci_vhci), QEMU, booted in {bench.machine.boot_seconds:.0f} s"),
        ("bluetoothd", await first_line("/usr/libexec/bluetooth/bluetoothd", "--version")),
        ("radio", f"bumble {importlib.metadata.version('bumble')}"),
        ("unit", "VirtualUnitServer, MicroPython"),
        ("noafw", await first_line(str(BINARIES / "noafw"), "--version")),
    ]


async def within(limit, body):
    """Runs a scenario's body; one that is late is ended, and one that does not end then is left behind."""
    task = asyncio.create_task(body)
    await asyncio.wait([task], timeout=limit)
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.wait([task], timeout=CLEAN_UP)
    if not task.done():
        task.print_stack()
    raise Failure("it does not end in time" if task.done() else "it does not end, even when it is cancelled")


async def run_one(lab, scenario):
    """Runs one scenario; gives its seconds and what went wrong, if anything."""
    began = time.monotonic()
    lab.begin(scenario.name)
    try:
        await within(LIMIT * scenarios.patience * (10 if lab.is_full else 1), scenario.body(lab))
        problem = None
    except Failure as failure:
        problem = str(failure)
    except Exception as error:  # a scenario that stumbles must not hide the others' results
        traceback.print_exc()
        problem = f"{type(error).__name__}: {error}"
    try:
        if problem:
            lab.output.write((await asyncio.wait_for(state(lab), CLEAN_UP)).encode())
        await asyncio.wait_for(lab.tidy(), 3 * CLEAN_UP)
    except (LabError, OSError, asyncio.TimeoutError) as error:
        problem = problem or str(error) or "the guest does not answer"
    return time.monotonic() - began, problem


async def state(lab):
    """What the adapters, the kernel and bluetoothd are at after a failure, and whether another client of bluetoothd hears a unit."""
    bench = lab.bench
    kernel = (await bench.machine.run("dmesg", timeout=30)).output.splitlines()[-6:]
    adapter = await bench.adapter_property("introspect")
    properties = [" ".join(line.split()) for line in adapter.output.splitlines()
                  if line.startswith((".Address ", ".Powered ", ".Discovering "))]
    async with lab.unit() as unit:
        listener = asyncio.create_task(bench.machine.run("bluetoothctl", "--timeout", "5", "scan", "on", timeout=30))
        await asyncio.sleep(3)
        radio = [
            f"{port}: {'scans' if adapter.le_scan_enable else 'does not scan'}, links {[str(peer) for peer in adapter.le_connections]}, "
            f"{'connects' if adapter.pending_le_connection else 'does not connect'}"
            for port, adapter in bench.adapters.items()
        ]
        heard = (await listener).output
        verdict = f"bluetoothctl {'hears' if unit.address in heard else 'does not hear'} a new unit\n"
    return "\n".join([*kernel, *properties, adapter.errors, *radio, verdict])


async def run_scenarios(chosen, is_full, guests):
    """Each guest has an air of its own and takes the next scenario when it has done one."""
    prepare_logs()
    small_assets = make_small_assets()
    assets = Assets(ROOT) if is_full else small_assets
    waiting = collections.deque(chosen)
    numbers = itertools.count(1)
    rows = {}

    async def work(number):
        # Guests that boot at once take longer than one after the other.
        await asyncio.sleep((number - 1) * BOOT_INTERVAL)
        while waiting:
            async with Bench(LOGS, next(numbers)).open() as bench:
                if number == 1 and not rows:
                    for name, text in await stack(bench):
                        print(f"{name:12}{text}")
                    print(flush=True)
                lab = Lab(bench, assets, small_assets, is_full)
                problem = None
                # What a scenario that failed leaves in its guest would fail the next one.
                while waiting and not problem:
                    scenario = waiting.popleft()
                    seconds, problem = await run_one(lab, scenario)
                    print_result(lab, scenario, seconds, problem)
                    rows[scenario.name] = (scenario, seconds, problem)

    await asyncio.gather(*(work(number) for number in range(1, guests + 1)))
    return [rows[scenario.name] for scenario in chosen]


def print_result(lab, scenario, seconds, problem):
    print(f"{'FAIL' if problem else 'pass'}  {scenario.name:22} {seconds:6.1f} s", flush=True)
    for note in lab.notes:
        print(f"      {note}", flush=True)
    if problem:
        print(f"      {problem}\n      {lab.log}", flush=True)
        print_end(lab.log)


def print_end(log):
    """A machine that is thrown away afterwards keeps no log."""
    if log and log.exists():
        for line in log.read_text(errors="replace").splitlines()[-20:]:
            print(f"      | {line[:160]}", flush=True)


def print_table(rows, total):
    """The last lines are for whoever reads nothing else."""
    width = max(len(row[0].title) for row in rows)
    print(f"\n{'scenario':22} {'what ran':{width}} {'seconds':>8}  result")
    for scenario, seconds, problem in rows:
        print(f"{scenario.name:22} {scenario.title:{width}} {seconds:8.1f}  {'FAIL' if problem else 'pass'}")
    failed = [row for row in rows if row[2]]
    print()
    for scenario, _, problem in failed:
        print(f"{scenario.name}: {problem.splitlines()[0][:300]}")
    print(f"{len(rows) - len(failed)} passed, {len(failed)} failed; {int(total) // 60} min {int(total) % 60} s in all")
    return 1 if failed else 0


async def run_command(words):
    """One command in the guest with one factory-new unit in front of it; the unit's state stays in .lab/units."""
    LOGS.mkdir(exist_ok=True)
    async with Bench(LOGS).open() as bench:
        assets = Assets(LOGS / "assets") if (LOGS / "assets").exists() else make_small_assets()
        async with bench.unit("by-hand", assets) as unit:
            print(f"unit {unit.address}; {shlex.join(words)}", flush=True)
            environment = {"NOAFW_STATE_DIR": "/root/noafw", "PATH": f"{BINARIES}:/usr/sbin:/usr/bin:/sbin:/bin"}
            command = await bench.machine.start(
                *words, environment=environment, folder=ROOT, log=sys.stdout.buffer)
            return (await command.wait(600)).code


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", nargs="*", help="scenarios to run; all of them by default")
    parser.add_argument("--full", action="store_true", help="images of full size, a hundred rounds")
    parser.add_argument("--guests", type=int, default=GUESTS, help="how many work side by side")
    parser.add_argument("--patience", type=float, default=1, help="how many times as long a scenario may take, on a busy machine")
    parser.add_argument("--list", action="store_true", help="list the scenarios")
    parser.add_argument("--run", metavar="COMMAND", help="run one command in the guest with one unit in reach")
    options = parser.parse_args()
    if options.list:
        for scenario in SCENARIOS:
            print(f"{scenario.name:22} {scenario.title}{'  (lab-full)' if scenario.is_full_only else ''}")
        return 0
    if options.run:
        return asyncio.run(run_command(shlex.split(options.run)))
    unknown = set(options.scenario) - {scenario.name for scenario in SCENARIOS}
    if unknown:
        parser.error(f"no scenario {', '.join(sorted(unknown))}; see --list")
    chosen = [
        scenario for scenario in SCENARIOS
        if scenario.name in options.scenario or (not options.scenario and (options.full or not scenario.is_full_only))
    ]
    scenarios.patience = options.patience
    try:
        began = time.monotonic()
        rows = asyncio.run(run_scenarios(chosen, options.full, options.guests))
        return print_table(rows, time.monotonic() - began)
    except LabError as error:
        print(f"the lab failed: {error}", file=sys.stderr)
        return 70


if __name__ == "__main__":
    sys.exit(main())
