"""The lab's bench: the guest with its adapter and bluetoothd, and what lies in front of it: units and assets."""

import asyncio
import contextlib
import hashlib
import json
import os
import signal
import time
from pathlib import Path

from cryptography.hazmat.primitives.serialization import load_pem_public_key

from machine import GUEST, HCI_PORTS, LabError, Machine
from radio import Air, HostAdapter
from unit import Unit

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ.get("LAB_BINARIES", ROOT / ".build/debug"))
BLUETOOTHD = "/usr/libexec/bluetooth/bluetoothd"
NAMES = ("hci0", "hci1")
# Of the controllers behind the ports.
ADDRESSES = dict(zip(HCI_PORTS, ("00:1B:DC:0F:00:01", "00:1B:DC:0F:00:02")))


class Bench:
    """One guest with an air of its own.

    `number` tells the logs of several apart.
    """

    def __init__(self, logs, number=1):
        self.logs = logs
        self.own_logs = logs / f"guest-{number}"
        self.own_logs.mkdir(parents=True, exist_ok=True)

    @contextlib.asynccontextmanager
    async def open(self):
        """Boots, starts D-Bus and bluetoothd, and waits for an adapter that is on."""
        async with Machine(self.own_logs) as self.machine:
            self.air = Air()
            self.adapters = {
                name: HostAdapter(*await asyncio.wait_for(streams, 30), self.air, ADDRESSES[name])
                for name, streams in self.machine.hci.items()
            }
            serving = [asyncio.create_task(adapter.serve()) for adapter in self.adapters.values()]
            self.relays = {}
            self.bluetoothd_log = open(self.own_logs / "bluetoothd.log", "wb")
            try:
                await self.machine.start("dbus-daemon", "--system", "--nofork", "--nopidfile", log=self.bluetoothd_log)
                await self.wait_for_file("/run/dbus/system_bus_socket")
                await self.plug(HCI_PORTS[0])
                await self.start_bluetoothd()
                yield self
            finally:
                for task in serving:
                    task.cancel()
                self.bluetoothd_log.close()

    async def wait_for_file(self, path):
        result = await self.machine.run("/bin/sh", "-c", f"until [ -e {path} ]; do sleep 0.1; done", timeout=120)
        if result.code != 0:
            raise LabError(f"{path} does not appear in the guest")

    async def plug(self, port):
        """Plugs an adapter in: it gets the lowest number that is free."""
        self.relays[port] = await self.machine.start("/usr/bin/python3", GUEST, "relay", port, log=self.bluetoothd_log)

    async def unplug(self, port):
        relay = self.relays.pop(port)
        relay.signal(signal.SIGKILL)
        await relay.wait(10)

    async def wait_for_adapter(self, port, timeout=120):
        """Waits until bluetoothd has switched the adapter of a port on; gives its name, such as hci0."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            for name in NAMES:
                values = [(await self.adapter_property("get-property", key, name=name)).output.strip() for key in ("Address", "Powered")]
                if values == [f's "{ADDRESSES[port]}"', "b true"]:
                    return name
        raise LabError(f"the adapter of {port} is not there")

    def count_links(self):
        """Counts the links of each adapter from now on."""
        counts = dict.fromkeys(HCI_PORTS, 0)

        def count(port):
            counts[port] += 1

        for port, adapter in self.adapters.items():
            adapter.on_link = lambda port=port: count(port)
        return counts

    @contextlib.asynccontextmanager
    async def second_adapter(self):
        """Another adapter beside the first one; gives its name."""
        await self.plug(HCI_PORTS[1])
        try:
            yield await self.wait_for_adapter(HCI_PORTS[1])
        finally:
            if HCI_PORTS[1] in self.relays:
                await self.unplug(HCI_PORTS[1])

    async def start_bluetoothd(self):
        self.bluetoothd = await self.machine.start(BLUETOOTHD, "-n", log=self.bluetoothd_log)
        await self.wait_until_powered(True)

    async def kill_bluetoothd(self):
        """Without a chance to say goodbye, as a crash does it."""
        self.bluetoothd.signal(signal.SIGKILL)
        await self.bluetoothd.wait(10)

    async def set_powered(self, is_on):
        result = await self.adapter_property("set-property", "Powered", "b", "true" if is_on else "false")
        if result.code != 0:
            raise LabError(f"cannot switch the adapter: {result.errors}")

    async def wait_until_powered(self, is_on, timeout=120):
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            result = await self.adapter_property("get-property", "Powered")
            if result.output.strip() == ("b true" if is_on else "b false"):
                return
        raise LabError(f"the adapter does not switch {'on' if is_on else 'off'}: {result.errors}")

    async def adapter_property(self, verb, *words, name="hci0"):
        return await self.machine.run(
            "busctl", "--system", verb, "org.bluez", f"/org/bluez/{name}", "org.bluez.Adapter1", *words, timeout=30)

    async def devices(self):
        """The addresses of all devices that bluetoothd knows, by adapter."""
        result = await self.machine.run("busctl", "--system", "tree", "--list", "org.bluez", timeout=30)
        paths = [line.strip().split("/") for line in result.output.splitlines()]
        return {(path[3], path[4][4:].replace("_", ":")) for path in paths if len(path) == 5 and path[4].startswith("dev_")}

    @contextlib.asynccontextmanager
    async def unit(self, label, assets, rssi=-48, **settings):
        """A unit with a state folder of its own, kept from one use to the next within a run."""
        with open(self.logs / f"unit-{label}.log", "ab", buffering=0) as log:
            full = {
                "folder": str(self.logs / "units" / label), "name": label, "python": str(ROOT / ".venv/bin/python3"),
                **assets.unit_settings(), **settings,
            }
            async with Unit(self.air, BINARIES / "VirtualUnitServer", full, log, rssi) as unit:
                yield unit


class Assets:
    """An asset folder as the unit needs to know it: which key its bootloader trusts, which images its FPGA can run."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def entries(self, part):
        return json.loads((self.folder / part / "manifest.json").read_text())["entries"]

    def unit_settings(self):
        keys = [load_pem_public_key((self.folder / "Firmware" / entry["key"]).read_bytes()).public_numbers()
                for entry in self.entries("Firmware") if "key" in entry]
        return {
            "trustedKeys": [f"{key.x:064x}{key.y:064x}" for key in keys],
            "fpgaVersions": {entry["sha256"]: entry["version"] for entry in self.entries("FPGA")},
        }
