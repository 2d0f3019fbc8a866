"""One virtual unit on the lab's air: the unit server (Tests/VirtualUnitServer) behind bumble's link."""

import asyncio
import contextlib
import itertools
import json
import random
from collections import Counter
from pathlib import Path

from radio import Identity

BOOTLOADERS = ("DfuTarg", "Frame Update")

# What the kernel's ATT asks for (BlueZ's default).
HOST_MTU = 517


class Unit:
    """Plays a unit from entering to leaving; its state folder stays."""

    def __init__(self, air, server, settings, log, rssi=-48):
        self.air, self.server, self.settings, self.log, self.rssi = air, server, settings, log, rssi
        self.identities = {}
        self.current = None
        # Where it answers over the network, if it does.
        self.url = None
        # Links that the guest's kernel believes in, by their number.
        self.links = {}
        self.advertised = asyncio.Event()
        self.ids = itertools.count()
        self.answers = {}
        self.backlog = 0
        self.clear()

    def clear(self):
        """Forgets what was counted and what was to go wrong."""
        self.counts = Counter()
        self.mtus = []
        # Probability that a write without response or a notification is lost. Drawn, as a client that begins again
        # would meet a loss at fixed intervals in the same place every time.
        self.loss = 0
        self.dice = random.Random(1)
        # After so many packets to a characteristic the link breaks, once.
        self.cut_after = {}
        # Beginnings of notifications of which the next one is lost.
        self.lose_next = []

    async def __aenter__(self):
        await self.enter()
        return self

    async def enter(self):
        # A child of the unit server is MicroPython: it ends with its terminal.
        self.process = await asyncio.create_subprocess_exec(
            self.server, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=self.log)
        self.tell_raw(self.settings)
        self.reader = asyncio.create_task(self.read())
        try:
            await asyncio.wait_for(self.advertised.wait(), 30)
        except BaseException:
            await self.__aexit__()
            raise

    async def __aexit__(self, *_):
        await self.leave()
        for identity in self.identities.values():
            self.air.remove_controller(identity.controller)

    async def leave(self):
        self.process.stdin.close()
        try:
            await asyncio.wait_for(self.process.wait(), 10)
        except asyncio.TimeoutError:
            self.process.kill()
            await self.process.wait()
        self.reader.cancel()
        self.advertised.clear()
        for identity in self.identities.values():
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(identity.silence(), 5)
            identity.break_link()
            await asyncio.sleep(0.1)

    @property
    def address(self):
        """The application's address."""
        for address, identity in self.identities.items():
            if identity.device.name not in BOOTLOADERS:
                return address
        octets = next(iter(self.identities)).split(":")
        return ":".join(octets[:5] + [f"{(int(octets[5], 16) - 1) & 0xFF:02X}"])

    @property
    def bond(self):
        """The key of the one bond that the unit keeps, in its folder."""
        try:
            key = bytes.fromhex(json.loads((Path(self.settings["folder"]) / "bond.json").read_text())["key"])
        except (OSError, ValueError, KeyError):
            return None
        return key if set(key) != {0xFF} else None

    def lose_bond(self):
        """As the button of its cradle does; after it the unit has to start anew."""
        (Path(self.settings["folder"]) / "bond.json").unlink()

    async def restart(self):
        """As after a battery that was empty for a while; what is counted goes on."""
        await self.leave()
        await self.enter()

    @property
    def current_name(self):
        """What it advertises in its application."""
        return self.identities[self.address].device.name

    def set_rssi(self, rssi):
        self.rssi = rssi
        for identity in self.identities.values():
            self.air.rssi[str(identity.address)] = rssi

    # To the unit

    def tell_raw(self, message):
        body = json.dumps(message).encode()
        self.process.stdin.write(len(body).to_bytes(4, "big") + body)

    def tell(self, case, **fields):
        self.tell_raw({case: fields})

    def cut_link(self):
        self.tell("cutLink")

    def cut_power(self):
        self.tell("cutPower")

    def on_connection(self, identity):
        self.log.write(f"[{identity.address}] connected\n".encode())
        self.counts["connections"] += 1
        self.current = identity
        self.backlog = 0
        self.answers.clear()
        self.air.backlogs[str(identity.address)] = lambda: self.backlog if self.current is identity else 1
        number = next(self.ids)
        self.links[number] = identity
        self.tell("connect", link=number, mtu=HOST_MTU)

    def on_disconnection(self, identity, reason):
        self.log.write(f"[{identity.address}] disconnected, reason 0x{reason:02X}\n".encode())
        self.counts[f"disconnections 0x{reason:02X}"] += 1
        if self.current is identity:
            self.current = None
            self.tell("disconnect")

    def on_subscription(self, identity, uuid, is_on):
        if self.current is identity:
            self.tell("subscribe", characteristic=uuid, isOn=is_on)

    def on_write(self, identity, uuid, value, answer):
        if self.current is not identity:
            return
        if self.is_cut(uuid):
            return
        number = next(self.ids)
        self.answers[number] = answer
        self.tell("write", id=number, characteristic=uuid, value=value.hex())

    def on_command(self, identity, uuid, value):
        if self.current is not identity:
            return
        if not self.is_cut(uuid) and not self.is_lost():
            self.backlog += 1
            self.tell("command", characteristic=uuid, value=value.hex())

    def is_cut(self, uuid):
        """Counts a packet; tells whether the link breaks with it."""
        self.counts[uuid] += 1
        if self.cut_after.get(uuid) != self.counts[uuid]:
            return False
        del self.cut_after[uuid]
        self.log.write(f"link cut at packet {self.counts[uuid]} of {uuid}\n".encode())
        self.cut_link()
        return True

    def secure(self, identity, key, answer):
        """Asks the unit to pair, or to take the key of its bond; `answer` gets the key and why there is none."""
        if self.current is not identity:
            return
        self.counts["keys used" if key else "pairings asked"] += 1
        number = next(self.ids)
        self.answers[number] = answer
        self.tell("secure", id=number, key=key.hex() if key else None)

    def is_lost(self):
        lost = self.dice.random() < self.loss
        self.counts["lost"] += lost
        return lost

    # From the unit

    async def read(self):
        try:
            while True:
                length = int.from_bytes(await self.process.stdout.readexactly(4), "big")
                ((case, fields),) = json.loads(await self.process.stdout.readexactly(length)).items()
                await getattr(self, f"on_unit_{case}")(**fields)
        except asyncio.IncompleteReadError:
            self.log.write(b"the unit server ended\n")

    async def on_unit_network(self, url):
        self.url = url

    async def on_unit_advertise(self, **description):
        address = description["address"]
        if address not in self.identities:
            self.identities[address] = Identity(self.air, self, description)
            self.set_rssi(self.rssi)
        for other in self.identities.values():
            if other is not self.identities[address]:
                await other.silence()
        await self.identities[address].advertise(description)
        self.log.write(f"[{address}] advertises {description['name']}\n".encode())
        self.advertised.set()

    async def on_unit_silent(self):
        self.advertised.clear()
        for identity in self.identities.values():
            await identity.silence()

    async def on_unit_connected(self, link, mtu):
        self.mtus.append(mtu)

    async def on_unit_refused(self, link, reason):
        self.log.write(f"connection refused: {reason}\n".encode())
        await self.on_unit_gone(link, isTimeout=True)

    async def on_unit_written(self, id, error=None):
        if answer := self.answers.pop(id, None):
            answer(error)

    async def on_unit_secured(self, id, endsLink, key=None, reason=None):
        self.counts["pairings refused"] += key is None
        self.log.write(f"security: {'encrypted' if key else f'refused, reason {reason}'}\n".encode())
        if answer := self.answers.pop(id, None):
            answer(key and bytes.fromhex(key), reason)

    async def on_unit_taken(self):
        self.backlog = max(0, self.backlog - 1)
        if self.current and self.backlog == 0:
            self.air.report_completed(self.current.address)

    async def on_unit_notify(self, characteristic, value):
        value = bytes.fromhex(value)
        for beginning in self.lose_next:
            if value.startswith(beginning):
                self.lose_next.remove(beginning)
                self.counts[beginning] += 1
                self.log.write(f"lost: {value}\n".encode())
                return
        if self.current and not self.is_lost():
            await self.current.notify(characteristic, value)

    async def on_unit_gone(self, link, isTimeout):
        identity = self.links.pop(link)
        if identity in self.links.values():
            # The guest's side has ended this one and made another.
            return
        if self.current is identity:
            self.current = None
        self.log.write(f"[{identity.address}] link {link} is gone{' by timeout' if isTimeout else ''}\n".encode())
        if isTimeout:
            identity.break_link()
        else:
            await identity.disconnect()
