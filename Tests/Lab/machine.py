"""A small virtual machine with Debian's kernel: the host's files read-only under a RAM overlay, nothing else of the host."""

import asyncio
import base64
import ctypes
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

GUEST = Path(__file__).with_name("guest.py")
# The ports of the radio's controllers, one for each adapter that the guest may have.
HCI_PORTS = ("hci-a", "hci-b")

# The kernel's random number generator comes before bluetooth, which wants it for its ECDH keys.
MODULES = (
    "virtio_pci 9p 9pnet_virtio overlay virtio_console sha512_generic hmac ctr aes_generic drbg"
    " cmac ecb bluetooth hci_vhci hid_generic uhid evdev").split()

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
for module in /modules/*; do insmod "$module"; done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,ro,cache=loose root /lower
mount -t tmpfs tmpfs /upper; mkdir /upper/files /upper/work
mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work overlay /root
for folder in dev proc sys; do mount --move /$folder /root/$folder; done
exec switch_root /root /usr/bin/python3 {guest}
"""


class LabError(Exception):
    """The lab itself failed, not what it was to test."""


@dataclass
class Result:
    """How a command in the guest ended."""

    code: int
    output: str
    errors: str
    seconds: float


def kernel_version():
    versions = sorted(path.name for path in Path("/lib/modules").glob("*") if Path(f"/boot/vmlinuz-{path.name}").exists())
    if not versions:
        raise LabError("no kernel in /boot: run Tools/setup lab")
    return versions[-1]


def build_initrd(target, kernel):
    """Busybox, the modules in the order of their loading, and the script above."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in "bin modules lower upper root proc sys dev".split():
            (root / name).mkdir()
        shutil.copy("/bin/busybox", root / "bin")
        files = []
        for module in MODULES:
            listing = subprocess.run(
                ["/sbin/modprobe", "-S", kernel, "--show-depends", module], check=True, capture_output=True, text=True)
            files += [line.split()[1] for line in listing.stdout.splitlines() if line.startswith("insmod ")]
        for number, file in enumerate(dict.fromkeys(files)):
            shutil.copy(file, root / "modules" / f"{number:03}-{Path(file).name}")
        init = root / "init"
        init.write_text(INIT.format(guest=GUEST))
        init.chmod(0o755)
        names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
        archive = subprocess.run(
            ["cpio", "-o", "-H", "newc", "--quiet"], input=names.encode(), cwd=root, check=True, capture_output=True)
        target.write_bytes(archive.stdout)


def die_with_parent():
    """An interrupted lab leaves no virtual machine behind (prctl, PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class GuestProcess:
    """A command that runs in the guest."""

    def __init__(self, machine, number, log=None):
        self.machine = machine
        self.number = number
        self.log = log
        self.identifier = None
        self.started = asyncio.get_running_loop().create_future()
        self.ended = asyncio.get_running_loop().create_future()
        self.streams = {"out": bytearray(), "err": bytearray()}
        self.began = time.monotonic()

    def take(self, message):
        if "stream" in message:
            data = base64.b64decode(message["data"])
            self.streams[message["stream"]] += data
            if self.log and not self.log.closed:
                self.log.write(data)
                self.log.flush()
        elif "process" in message:
            self.identifier = message["process"]
            self.started.set_result(None)
        elif "exit" in message:
            self.streams["err"] += message.get("reason", "").encode()
            self.ended.set_result(message["exit"])

    @property
    def text(self):
        return bytes(self.streams["out"]).decode(errors="replace")

    def signal(self, number):
        self.machine.tell(id=self.number, signal=int(number))

    async def wait(self, timeout):
        """The result; a command that does not end in time is killed and counts as code 124."""
        try:
            code = await asyncio.wait_for(asyncio.shield(self.ended), timeout)
        except asyncio.TimeoutError:
            self.signal(signal.SIGKILL)
            await asyncio.wait_for(asyncio.shield(self.ended), 30)
            code = 124
        errors = bytes(self.streams["err"]).decode(errors="replace")
        return Result(code, self.text, errors, time.monotonic() - self.began)


class Machine:
    """Boots when entered, and is gone when left."""

    def __init__(self, logs, memory=1024):
        self.logs = logs
        self.memory = memory
        self.kernel = kernel_version()
        # Reader and writer of each controller's port.
        self.hci = {name: asyncio.get_running_loop().create_future() for name in HCI_PORTS}
        self.ready = asyncio.get_running_loop().create_future()
        self.processes = {}
        self.count = 0
        self.commands = None

    async def __aenter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="noafw-lab-"))
        try:
            await self.boot()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def boot(self):
        build_initrd(self.folder / "initrd", self.kernel)
        self.servers = [
            await asyncio.start_unix_server(lambda *streams, name=name: self.hci[name].set_result(streams), self.folder / name)
            for name in HCI_PORTS
        ]
        self.servers.append(await asyncio.start_unix_server(self.accept_commands, self.folder / "commands", limit=1 << 20))
        began = time.monotonic()
        with open(self.logs / "qemu.log", "wb") as log:
            self.qemu = await asyncio.create_subprocess_exec(
                *self.command_line(), stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=die_with_parent)
        gone = asyncio.create_task(self.qemu.wait())
        await asyncio.wait([gone, self.ready], timeout=180, return_when=asyncio.FIRST_COMPLETED)
        if not self.ready.done():
            raise LabError(f"the guest does not boot: see {self.logs}/qemu.log and {self.logs}/kernel.log")
        gone.cancel()
        self.boot_seconds = time.monotonic() - began

    def command_line(self):
        arguments = [
            "qemu-system-x86_64", "-accel", os.environ.get("LAB_ACCEL", "tcg,thread=multi"), "-cpu", "Nehalem",
            "-m", str(self.memory), "-smp", "2", "-display", "none", "-no-reboot", "-nic", "none", "-monitor", "none",
            "-serial", f"file:{self.logs}/kernel.log", "-kernel", f"/boot/vmlinuz-{self.kernel}",
            "-initrd", str(self.folder / "initrd"), "-append", "console=ttyS0 panic=-1 quiet no_timer_check",
            "-virtfs", "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap",
            "-device", "virtio-serial-pci",
        ]
        for name in (*HCI_PORTS, "commands"):
            arguments += [
                "-chardev", f"socket,id={name},path={self.folder / name},server=off",
                "-device", f"virtserialport,chardev={name},name={name}",
            ]
        return arguments

    async def accept_commands(self, reader, writer):
        self.commands = writer
        while line := await reader.readline():
            message = json.loads(line)
            if "ready" in message:
                self.ready.set_result(None)
            elif process := self.processes.get(message["id"]):
                process.take(message)

    def tell(self, **message):
        self.commands.write(json.dumps(message).encode() + b"\n")

    async def start(self, *argv, environment=None, folder="/", log=None):
        """Starts a command in the guest; a log takes both of its streams as they come."""
        self.count += 1
        process = GuestProcess(self, self.count, log)
        self.processes[self.count] = process
        self.tell(id=self.count, argv=[str(word) for word in argv], environment=environment or {}, folder=str(folder))
        await asyncio.wait([process.started, process.ended], return_when=asyncio.FIRST_COMPLETED)
        return process

    async def run(self, *argv, timeout=60, **options):
        process = await self.start(*argv, **options)
        return await process.wait(timeout)

    async def __aexit__(self, *_):
        if hasattr(self, "qemu") and self.qemu.returncode is None:
            self.qemu.kill()
            await self.qemu.wait()
        for server in getattr(self, "servers", []):
            server.close()
        shutil.rmtree(self.folder, ignore_errors=True)
