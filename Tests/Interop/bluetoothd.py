"""A stand-in for bluetoothd on a private message bus, written from BlueZ's D-Bus documentation and the behaviour of 5.66.

It owns org.bluez, plays an adapter and the units on its air, and obeys commands: one JSON object a line on standard
input, one answer a line on standard output. It knows nothing of who talks to it.
"""
import asyncio
import json
import os
import socket
import sys

from dbus_fast import Message, MessageType, NameFlag, Variant
from dbus_fast.aio import MessageBus

ADAPTER, DEVICE = "org.bluez.Adapter1", "org.bluez.Device1"
SERVICE, CHARACTERISTIC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
MANAGER, AGENT = "org.bluez.AgentManager1", "org.bluez.Agent1"
PROPERTIES, OBJECTS = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"
ROOT = "/org/bluez"
ADVERTISING_INTERVAL = 0.02


class Refusal(Exception):
    def __init__(self, name, text=""):
        self.name = name if "." in name else f"org.bluez.Error.{name}"
        self.text = text


class Unit:
    """A peripheral on the air: what it is, whatever bluetoothd believes of it."""

    def __init__(self, spec):
        self.address = spec["address"]
        self.name = spec.get("name")
        self.rssi = spec.get("rssi", -50)
        self.mtu = spec.get("mtu", 247)
        self.services = spec.get("services", [])
        self.advertising = spec.get("advertising", True)
        self.resolves = spec.get("resolves", True)
        self.echo = spec.get("echo")
        self.needs_pairing_answer = spec.get("asks_agent", False)
        # Sends a Security Request on connecting (LE legacy, just works, one bond), as a Frame does.
        self.wants_bond = spec.get("wants_bond", False)
        # Whose key it keeps: "host", that of another one, or none.
        self.bond = spec.get("bond")
        # How many encrypted links the air takes, whatever the keys are.
        self.lost_links = 0
        self.att_error = {}
        self.writes = []


class Characteristic:
    def __init__(self, path, uuid, flags):
        self.path, self.uuid, self.flags = path, uuid, flags
        self.notifying = set()
        self.write_socket = None
        self.notify_socket = None
        self.is_stalled = False


class Daemon:
    def __init__(self, bus):
        self.bus = bus
        self.objects = {}
        self.units = {}
        self.characteristics = {}
        self.discoveries = {}
        self.filters = {}
        self.agents = {}
        self.default_agent = None
        # As `AlwaysPairable = true` in main.conf: agents come and go without a change.
        self.agents_set_pairable = True
        self.is_pairable_fixed = False
        self.bonding = set()
        self.faults = []
        # Numbers of the links, by device.
        self.links = {}
        self.held = []
        self.removed = []
        # Attempts of clients that died, which a Disconnect does not end.
        self.stuck = set()
        self.calls = {}
        self.pending_connects = {}
        self.packets = 0
        self.packet_bytes = 0
        self.advertised = 0
        # A radio that hangs: discoveries start and hear nothing.
        self.is_deaf = False
        self.changed = asyncio.Condition()
        # The one that commands mean that name none.
        self.adapter = None

    # --- objects and signals -------------------------------------------------------------------------------------

    def signal(self, path, interface, member, signature, body):
        self.bus.send(Message(message_type=MessageType.SIGNAL, path=path, interface=interface, member=member,
                              signature=signature, body=body))

    def add(self, path, interface, properties):
        self.objects.setdefault(path, {})[interface] = properties
        self.signal("/", OBJECTS, "InterfacesAdded", "oa{sa{sv}}", [path, {interface: properties}])

    def remove(self, path):
        interfaces = self.objects.pop(path, None)
        if interfaces:
            self.signal("/", OBJECTS, "InterfacesRemoved", "oas", [path, list(interfaces)])

    def set(self, path, interface, **properties):
        if path not in self.objects:
            return
        if "Connected" in properties:
            self.links[path] = self.links.get(path, 0) + 1
        self.objects[path][interface].update(properties)
        self.signal(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", [interface, properties, []])

    def invalidate(self, path, interface, name):
        if self.objects.get(path, {}).get(interface, {}).pop(name, None):
            self.signal(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", [interface, {}, [name]])

    def device_path(self, address, adapter=None):
        return f"{adapter or self.adapter}/dev_{address.replace(':', '_')}"

    def adapters(self):
        return [path for path, interfaces in self.objects.items() if ADAPTER in interfaces]

    def meant(self, spec):
        return f"{ROOT}/{spec['adapter']}" if "adapter" in spec else self.adapter

    def device(self, path):
        try:
            return self.objects[path][DEVICE]
        except KeyError:
            raise Refusal("org.freedesktop.DBus.Error.UnknownObject", "no such device")

    def unit_of(self, path):
        return self.units.get(self.device(path)["Address"].value)

    def is_powered(self, adapter):
        return adapter in self.objects and self.objects[adapter][ADAPTER]["Powered"].value

    def is_linked(self, unit):
        return any(DEVICE in o and o[DEVICE]["Address"].value == unit.address and o[DEVICE]["Connected"].value
                   for o in self.objects.values())

    # --- the air -------------------------------------------------------------------------------------------------

    def know(self, address, adapter=None, **extra):
        adapter = adapter or self.adapter
        path = self.device_path(address, adapter)
        if path not in self.objects:
            unit = self.units.get(address)
            properties = {"Address": Variant("s", address), "AddressType": Variant("s", "random"),
                          "Adapter": Variant("o", adapter), "Connected": Variant("b", False),
                          "ServicesResolved": Variant("b", False), "Paired": Variant("b", False), "Bonded": Variant("b", False),
                          "Trusted": Variant("b", False), "Alias": Variant("s", (unit and unit.name) or address),
                          "UUIDs": Variant("as", [s["uuid"] for s in unit.services] if unit else [])}
            if unit and unit.name:
                properties["Name"] = Variant("s", unit.name)
            properties.update(extra)
            self.add(path, DEVICE, properties)
        return path

    def hear(self, unit, adapter):
        """One advertisement of a unit reaches a discovering adapter."""
        filters = [self.filters.get(client, {}) for client in self.discoveries if client[0] == adapter]
        if not self.is_powered(adapter) or not any(self.passes(unit, wanted) for wanted in filters):
            return
        path = self.device_path(unit.address, adapter)
        rssi = Variant("n", unit.rssi)
        if path in self.objects:
            device = self.objects[path][DEVICE]
            # Without a filter only a change of 8 dB is told (src/device.c, RSSI_THRESHOLD).
            is_told = all(filters) or "RSSI" not in device or abs(device["RSSI"].value - unit.rssi) >= 8
            if is_told:
                self.set(path, DEVICE, RSSI=rssi)
        else:
            self.know(unit.address, adapter, RSSI=rssi)

    def passes(self, unit, wanted):
        services = {service["uuid"] for service in unit.services}
        return (wanted.get("Transport", "auto") in ("auto", "le")
                and unit.rssi >= wanted.get("RSSI", -127)
                and ("UUIDs" not in wanted or services & set(wanted["UUIDs"])))

    async def air(self):
        while True:
            for unit in list(self.units.values()):
                if unit.advertising and not self.is_deaf and not self.is_linked(unit):
                    for adapter in self.adapters():
                        self.hear(unit, adapter)
            await asyncio.sleep(ADVERTISING_INTERVAL)

    def link_up(self, path, unit):
        self.set(path, DEVICE, Connected=Variant("b", True))
        if unit.resolves:
            self.resolve(path, unit)

    def resolve(self, path, unit):
        known = [p for p in self.characteristics if p.startswith(path + "/")]
        if not known:
            self.export(path, unit)
        for characteristic in known:
            self.objects[characteristic][CHARACTERISTIC]["MTU"] = Variant("q", unit.mtu)
        self.set(path, DEVICE, ServicesResolved=Variant("b", True))

    def export(self, path, unit):
        handle = 10
        for service in unit.services:
            service_path = f"{path}/service{handle:04x}"
            self.add(service_path, SERVICE, {"UUID": Variant("s", service["uuid"]), "Device": Variant("o", path),
                                             "Primary": Variant("b", True)})
            for entry in service["characteristics"]:
                handle += 2
                char_path = f"{service_path}/char{handle:04x}"
                self.characteristics[char_path] = Characteristic(char_path, entry["uuid"], entry["flags"])
                self.add(char_path, CHARACTERISTIC, {
                    "UUID": Variant("s", entry["uuid"]), "Service": Variant("o", service_path),
                    "Flags": Variant("as", entry["flags"]), "MTU": Variant("q", unit.mtu)})
            handle += 10

    def link_down(self, path):
        for characteristic in self.characteristics.values():
            if characteristic.path.startswith(path + "/"):
                self.release(characteristic, "write_socket")
                self.release(characteristic, "notify_socket")
        if path in self.objects and self.objects[path][DEVICE]["Connected"].value:
            self.set(path, DEVICE, ServicesResolved=Variant("b", False))
            self.set(path, DEVICE, Connected=Variant("b", False))

    def drop_soon(self, path):
        """Ends the link that is up now, and not the next one."""
        number = self.links.get(path)

        def drop():
            if self.links.get(path) == number:
                self.link_down(path)
        asyncio.get_running_loop().call_later(0.02, drop)

    def forget(self, path):
        self.link_down(path)
        for char_path in [p for p in self.characteristics if p.startswith(path + "/")]:
            del self.characteristics[char_path]
        for object_path in [p for p in self.objects if p.startswith(path + "/")] + [path]:
            self.remove(object_path)

    # --- sockets -------------------------------------------------------------------------------------------------

    def release(self, characteristic, which):
        end = getattr(characteristic, which)
        if end is not None:
            asyncio.get_running_loop().remove_reader(end)
            end.close()
            setattr(characteristic, which, None)

    def acquire(self, path, which, flag):
        characteristic = self.characteristics[path]
        device = self.device("/".join(path.split("/")[:5]))
        if not device["Connected"].value:
            raise Refusal("Failed", "Not connected")
        if getattr(characteristic, which) is not None:
            raise Refusal("NotPermitted", "Write acquired" if which == "write_socket" else "Notify acquired")
        if flag not in characteristic.flags:
            raise Refusal("NotSupported", "Operation is not supported")
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        setattr(characteristic, which, ours)
        if not (which == "write_socket" and characteristic.is_stalled):
            self.listen(characteristic, which)
        mtu = self.unit_of("/".join(path.split("/")[:5])).mtu
        return theirs, mtu

    def listen(self, characteristic, which):
        end = getattr(characteristic, which)
        asyncio.get_running_loop().add_reader(end, self.drain, characteristic, which, end)

    def drain(self, characteristic, which, end):
        while True:
            try:
                packet = end.recv(512)
            except BlockingIOError:
                break
            except OSError:
                packet = b""
            if not packet:
                self.release(characteristic, which)
                break
            self.packets += 1
            self.packet_bytes += len(packet)
            unit = self.unit_of("/".join(characteristic.path.split("/")[:5]))
            unit.writes.append(packet)
            self.play_echo(characteristic.path, unit, packet)
        self.touch()

    def play_echo(self, path, unit, value):
        if unit.echo:
            device = "/".join(path.split("/")[:5])
            self.notify(device, unit.echo, value)

    def notify(self, device, uuid, value):
        for characteristic in self.characteristics.values():
            if characteristic.uuid == uuid and characteristic.path.startswith(device + "/"):
                if characteristic.notify_socket is not None:
                    characteristic.notify_socket.send(value)
                elif characteristic.notifying:
                    self.set(characteristic.path, CHARACTERISTIC, Value=Variant("ay", value))

    # --- method calls --------------------------------------------------------------------------------------------

    def handle(self, message):
        if message.message_type == MessageType.SIGNAL and message.member == "NameOwnerChanged":
            name, _, owner = message.body
            if not owner:
                self.client_left(name)
            return None
        if message.message_type != MessageType.METHOD_CALL:
            return None
        if message.interface in ("org.freedesktop.DBus.Peer", "org.freedesktop.DBus.Introspectable"):
            return None
        asyncio.get_running_loop().create_task(self.serve(message))
        return True

    async def serve(self, message):
        self.calls[message.member] = self.calls.get(message.member, 0) + 1
        try:
            fault = self.take_fault(message.member)
            if fault and fault.get("hang"):
                return
            if fault and not fault.get("hold"):
                raise Refusal(fault["error"], fault.get("text", ""))
            result = self.dispatch(message)
            if asyncio.iscoroutine(result):
                result = await result
            if fault:
                self.touch()
                await self.hold(message.member)
            signature, body, ends = result if result else ("", [], [])
            self.bus.send(Message.new_method_return(message, signature, body, [e.fileno() for e in ends]))
            for end in ends:
                # dbus-fast sends later: its own copy of the descriptor has to live until then.
                asyncio.get_running_loop().call_later(0.2, end.close)
        except Refusal as refusal:
            self.bus.send(Message.new_error(message, refusal.name, refusal.text))
        except KeyError:
            self.bus.send(Message.new_error(message, "org.freedesktop.DBus.Error.UnknownObject", "no such object"))
        self.touch()

    async def hold(self, member):
        """Keeps the answer to a call that was performed until a command lets it go."""
        waiting = asyncio.get_running_loop().create_future()
        self.held.append((member, waiting))
        await waiting

    def take_fault(self, member):
        for fault in self.faults:
            if fault["member"] == member and fault["times"] > 0:
                fault["times"] -= 1
                return fault
        return None

    def dispatch(self, message):
        name = f"{message.interface.rsplit('.', 1)[-1]}_{message.member}"
        method = getattr(self, name, None)
        if method is None:
            raise Refusal("org.freedesktop.DBus.Error.UnknownMethod",
                          f'Method "{message.member}" doesn\'t exist')
        return method(message)

    def ObjectManager_GetManagedObjects(self, message):
        return "a{oa{sa{sv}}}", [self.objects], []

    def Properties_Get(self, message):
        interface, name = message.body
        value = self.objects[message.path].get(interface, {}).get(name)
        if value is None:
            raise Refusal("org.freedesktop.DBus.Error.UnknownProperty", f'No such property "{name}"')
        return "v", [value], []

    def Adapter1_SetDiscoveryFilter(self, message):
        self.filters[message.path, message.sender] = {key: value.value for key, value in message.body[0].items()}

    def Adapter1_StartDiscovery(self, message):
        if not self.is_powered(message.path):
            raise Refusal("NotReady", "Resource Not Ready")
        if (message.path, message.sender) in self.discoveries:
            raise Refusal("InProgress", "Operation already in progress")
        self.discoveries[message.path, message.sender] = True
        self.set(message.path, ADAPTER, Discovering=Variant("b", True))

    def Adapter1_StopDiscovery(self, message):
        if (message.path, message.sender) not in self.discoveries:
            raise Refusal("Failed", "No discovery started")
        self.end_discovery(message.path, message.sender)

    def end_discovery(self, adapter, sender):
        self.discoveries.pop((adapter, sender), None)
        if not any(path == adapter for path, _ in self.discoveries) and adapter in self.objects:
            self.set(adapter, ADAPTER, Discovering=Variant("b", False))
            for path in list(self.objects):
                if path.startswith(adapter + "/"):
                    self.invalidate(path, DEVICE, "RSSI")

    def Adapter1_RemoveDevice(self, message):
        if message.body[0] not in self.objects:
            raise Refusal("DoesNotExist", "Does Not Exist")
        self.removed.append(message.body[0])
        waiting = self.pending_connects.pop(message.body[0], None)
        if waiting and not waiting.done():
            waiting.cancel()
        self.forget(message.body[0])

    async def reach(self, path):
        """Waits for the unit's advertisement; gives the unit."""
        if not self.is_powered("/".join(path.split("/")[:4])):
            raise Refusal("NotReady", "Resource Not Ready")
        unit = self.unit_of(path)
        if path in self.pending_connects:
            raise Refusal("InProgress", "Operation already in progress")
        if unit is None or not unit.advertising:
            waiting = asyncio.get_running_loop().create_future()
            self.pending_connects[path] = waiting
            self.touch()
            try:
                await waiting
            finally:
                self.pending_connects.pop(path, None)
            unit = self.unit_of(path)
        return unit

    async def Device1_Connect(self, message):
        path = message.path
        if self.device(path)["Connected"].value:
            return
        unit = await self.reach(path)
        if self.device(path)["Paired"].value and (unit.bond != "host" or unit.lost_links):
            unit.lost_links = max(0, unit.lost_links - 1)
            # The kernel encrypts with its key, the unit with another one: the link breaks (measured: BlueZ 5.66, Linux 6.1).
            self.set(path, DEVICE, Connected=Variant("b", True))
            await asyncio.sleep(0.03)
            self.drop_soon(path)
            raise Refusal("Failed", "le-connection-abort-by-local")
        self.link_up(path, unit)
        if unit.wants_bond and not self.device(path)["Paired"].value and self.is_pairable():
            self.bonding.add(path)
            asyncio.get_running_loop().create_task(self.pair_by_request(path, unit))

    async def pair_by_request(self, path, unit):
        """The kernel answers a Security Request by itself; the default agent is asked, whoever it belongs to."""
        try:
            await self.ask_agent(self.default_agent, path)
            self.bond(path, unit)
        except Refusal:
            self.link_down(path)
        finally:
            self.bonding.discard(path)

    def is_pairable(self):
        return self.objects[self.adapter][ADAPTER]["Pairable"].value

    def bond(self, path, unit):
        if unit.bond is not None:
            self.drop_soon(path)
            raise Refusal("AuthenticationFailed", "Authentication Failed")
        if self.is_pairable():
            unit.bond = "host"
            self.set(path, DEVICE, Bonded=Variant("b", True))
        self.set(path, DEVICE, Paired=Variant("b", True))

    async def ask_agent(self, owner, path):
        agent = self.agents.get(owner)
        if agent is None:
            raise Refusal("AgentNotAvailable")
        answer = await self.bus.call(Message(
            destination=owner, path=agent, interface=AGENT, member="RequestAuthorization", signature="o", body=[path]))
        if answer.message_type == MessageType.ERROR:
            raise Refusal("AuthenticationRejected", "Authentication Rejected")

    def Device1_Disconnect(self, message):
        self.device(message.path)
        waiting = self.pending_connects.get(message.path)
        if waiting and not waiting.done() and message.path not in self.stuck:
            waiting.set_exception(Refusal("Failed", "le-connection-abort-by-local"))
        self.link_down(message.path)

    async def Device1_Pair(self, message):
        """Connects where there is no link, too. Nobody is asked: who calls it wants it (src/device.c, device_confirm_passkey)."""
        path = message.path
        if self.device(path)["Paired"].value:
            raise Refusal("AlreadyExists", "Already Exists")
        if path in self.bonding:
            # A bond that comes from the unit's own request leaves this call without an answer (measured: BlueZ 5.66).
            await asyncio.get_running_loop().create_future()
        unit = self.unit_of(path)
        if not self.device(path)["Connected"].value:
            unit = await self.reach(path)
            self.set(path, DEVICE, Connected=Variant("b", True))
        if unit.needs_pairing_answer:
            await self.ask_agent(message.sender, path)
        self.bond(path, unit)
        if not self.device(path)["ServicesResolved"].value and unit.resolves:
            self.resolve(path, unit)

    def Device1_CancelPairing(self, message):
        raise Refusal("DoesNotExist", "Does Not Exist")

    def AgentManager1_RegisterAgent(self, message):
        if message.sender in self.agents:
            raise Refusal("AlreadyExists", "Already Exists")
        self.agents[message.sender] = message.body[0]
        if self.default_agent is None:
            self.default_agent = message.sender
        if len(self.agents) == 1 and self.agents_set_pairable:
            # After the answer, when the kernel has said so.
            asyncio.get_running_loop().call_later(0.01, self.set_pairable, True)

    def AgentManager1_UnregisterAgent(self, message):
        if message.sender not in self.agents:
            raise Refusal("DoesNotExist", "Does Not Exist")
        self.lose_agent(message.sender)

    def lose_agent(self, owner):
        if self.agents.pop(owner, None) is None:
            return
        if self.default_agent == owner:
            self.default_agent = next(iter(self.agents), None)
        if not self.agents and self.agents_set_pairable:
            self.set_pairable(False)

    def set_pairable(self, is_on):
        if self.adapter in self.objects:
            self.set(self.adapter, ADAPTER, Pairable=Variant("b", is_on))

    def Properties_Set(self, message):
        interface, name, value = message.body
        if (interface, name) != (ADAPTER, "Pairable") or self.is_pairable_fixed:
            raise Refusal("org.freedesktop.DBus.Error.PropertyReadOnly", "Property is read-only")
        self.set_pairable(value.value)

    def GattCharacteristic1_WriteValue(self, message):
        characteristic = self.characteristics[message.path]
        device_path = "/".join(message.path.split("/")[:5])
        unit = self.unit_of(device_path)
        if not self.device(device_path)["Connected"].value:
            raise Refusal("Failed", "Not connected")
        if characteristic.write_socket is not None:
            raise Refusal("NotPermitted", "Write acquired")
        if characteristic.uuid in unit.att_error:
            raise Refusal("Failed", f"Operation failed with ATT error: 0x{unit.att_error[characteristic.uuid]:02x}")
        options = message.body[1]
        if "type" in options and options["type"].value == "request" and "write" not in characteristic.flags:
            raise Refusal("NotSupported", "Operation is not supported")
        value = bytes(message.body[0])
        unit.writes.append(value)
        self.play_echo(message.path, unit, value)

    def GattCharacteristic1_AcquireWrite(self, message):
        end, mtu = self.acquire(message.path, "write_socket", "write-without-response")
        return "hq", [0, mtu], [end]

    def GattCharacteristic1_AcquireNotify(self, message):
        end, mtu = self.acquire(message.path, "notify_socket", "notify")
        return "hq", [0, mtu], [end]

    def GattCharacteristic1_StartNotify(self, message):
        characteristic = self.characteristics[message.path]
        if "notify" not in characteristic.flags and "indicate" not in characteristic.flags:
            raise Refusal("NotSupported", "Operation is not supported")
        if characteristic.notify_socket is not None:
            raise Refusal("NotPermitted", "Notify acquired")
        unit = self.unit_of("/".join(message.path.split("/")[:5]))
        if characteristic.uuid in unit.att_error:
            raise Refusal("Failed", f"Operation failed with ATT error: 0x{unit.att_error[characteristic.uuid]:02x}")
        characteristic.notifying.add(message.sender)

    def GattCharacteristic1_StopNotify(self, message):
        characteristic = self.characteristics[message.path]
        if characteristic.notify_socket is not None:
            # Whoever acquired it (src/gatt-client.c, characteristic_stop_notify).
            return self.release(characteristic, "notify_socket")
        if message.sender not in characteristic.notifying:
            raise Refusal("Failed", "No notify session started")
        characteristic.notifying.discard(message.sender)

    def client_left(self, name):
        for adapter, client in list(self.discoveries):
            if client == name:
                self.end_discovery(adapter, client)
        for key in [key for key in self.filters if key[1] == name]:
            del self.filters[key]
        self.lose_agent(name)
        for characteristic in self.characteristics.values():
            characteristic.notifying.discard(name)
        self.touch()

    # --- commands ------------------------------------------------------------------------------------------------

    def touch(self):
        async def tell():
            async with self.changed:
                self.changed.notify_all()
        asyncio.get_running_loop().create_task(tell())

    async def state(self):
        rules = await self.bus.call(Message(
            destination="org.freedesktop.DBus", path="/org/freedesktop/DBus",
            interface="org.freedesktop.DBus.Debug.Stats", member="GetAllMatchRules"))
        mine = self.bus.unique_name
        # GetAllMatchRules may be left out of a build of dbus-daemon; -1 says so.
        matches = -1 if rules.message_type == MessageType.ERROR else \
            sum(len(r) for name, r in rules.body[0].items() if name != mine)
        chars = self.characteristics.values()
        return {
            "discoveries": len(self.discoveries), "agents": len(self.agents), "matches": matches,
            "pendingConnects": len(self.pending_connects),
            "notifying": sum(len(c.notifying) for c in chars),
            "sockets": sum((c.write_socket is not None) + (c.notify_socket is not None) for c in chars),
            "connected": sum(1 for o in self.objects.values() if DEVICE in o and o[DEVICE]["Connected"].value),
            "held": len(self.held), "pairable": int(self.is_pairable()) if self.adapter in self.objects else -1,
            "devices": sum(1 for o in self.objects.values() if DEVICE in o),
            "removed": self.removed, "advertised": self.advertised, "packets": self.packets, "packetBytes": self.packet_bytes, "calls": self.calls,
            "filters": [self.filters.get(client, {}) for client in self.discoveries],
        }

    async def command_until(self, spec):
        """Answers once a number of the state, or a count of calls, has reached a value."""
        def number(state):
            return state["calls"].get(spec["call"], 0) if "call" in spec else state[spec["key"]]
        async with asyncio.timeout(10):
            while True:
                async with self.changed:
                    state = await self.state()
                    value = number(state)
                    if value >= spec["atLeast"] if "atLeast" in spec else value == spec["equals"]:
                        return state
                    # Match rules are the bus's: their change is not announced here.
                    try:
                        async with asyncio.timeout(0.05):
                            await self.changed.wait()
                    except TimeoutError:
                        pass

    async def command_state(self, spec):
        return await self.state()

    async def command_adapter(self, spec):
        path = f"{ROOT}/{spec.get('name', 'hci0')}"
        if self.adapter not in self.objects:
            self.adapter = path
        self.objects.setdefault(ROOT, {})[MANAGER] = {}
        self.add(path, ADAPTER, {
            "Address": Variant("s", spec.get("address", "00:11:22:33:44:55")), "Alias": Variant("s", "stand-in"),
            "Powered": Variant("b", spec.get("powered", True)), "Discovering": Variant("b", False),
            "Pairable": Variant("b", spec.get("pairable", False))})
        self.agents_set_pairable = "pairable" not in spec
        self.is_pairable_fixed = spec.get("pairable_fixed", False)

    async def command_desktop(self, spec):
        """Another program registers an agent, the default one."""
        self.agents["desktop"] = "/desktop"
        self.default_agent = "desktop"
        self.set_pairable(True)

    async def command_connect(self, spec):
        """The kernel's own doing: a link, and a bond by the unit's request."""
        path, unit = self.device_path(spec["address"]), self.units[spec["address"]]
        self.set(path, DEVICE, Connected=Variant("b", True))
        self.bond(path, unit)
        self.resolve(path, unit)

    async def command_bond(self, spec):
        """The unit's bond changes behind the host's back."""
        self.units[spec["address"]].bond = spec.get("to")

    async def command_lose(self, spec):
        """The next links of a bonded unit end before they are encrypted."""
        self.units[spec["address"]].lost_links = spec["links"]

    async def command_remove_adapter(self, spec):
        adapter = self.meant(spec)
        for client in [client for client in self.discoveries if client[0] == adapter]:
            del self.discoveries[client]
        for path in [p for p in self.objects if p.startswith(adapter + "/")]:
            self.remove(path)
        for path in [p for p in self.characteristics if p.startswith(adapter + "/")]:
            del self.characteristics[path]
        self.remove(adapter)

    async def command_power(self, spec):
        adapter = self.meant(spec)
        self.set(adapter, ADAPTER, Powered=Variant("b", spec["on"]))
        if not spec["on"]:
            for client in [client for client in self.discoveries if client[0] == adapter]:
                del self.discoveries[client]
            for path in list(self.objects):
                if DEVICE in self.objects[path] and path.startswith(adapter + "/"):
                    self.link_down(path)
            for waiting in self.pending_connects.values():
                if not waiting.done():
                    waiting.set_exception(Refusal("NotReady", "Resource Not Ready"))

    async def command_deaf(self, spec):
        self.is_deaf = spec["on"]

    async def command_foreign_connect(self, spec):
        """A client began to connect and died; ``stuck``: its attempt outlives a Disconnect."""
        path = self.know(spec["address"], self.meant(spec))
        waiting = asyncio.get_running_loop().create_future()
        waiting.add_done_callback(lambda ended: (ended.cancelled() or ended.exception(), self.pending_connects.pop(path, None)))
        self.pending_connects[path] = waiting
        if spec.get("stuck"):
            self.stuck.add(path)

    async def command_foreign_link(self, spec):
        """Another program's link."""
        path = self.know(spec["address"], self.meant(spec), Paired=Variant("b", spec.get("paired", False)))
        self.set(path, DEVICE, Connected=Variant("b", True))

    async def command_unit(self, spec):
        self.units[spec["address"]] = Unit(spec)
        waiting = self.pending_connects.get(self.device_path(spec["address"]))
        if waiting and spec.get("advertising", True) and not waiting.done():
            waiting.set_result(None)

    async def command_know(self, spec):
        path = self.know(spec["address"], self.meant(spec), Paired=Variant("b", spec.get("paired", False)),
                         Bonded=Variant("b", spec.get("paired", False)))
        if "cached" in spec:
            stale = Unit({"address": spec["address"], "services": spec["cached"]})
            self.export(path, stale)

    async def command_resolve(self, spec):
        self.resolve(self.device_path(spec["address"]), self.units[spec["address"]])

    async def command_fault(self, spec):
        self.faults.append({"times": 1, **spec})

    async def command_answer(self, spec):
        """Answers what was held, as late as that is now."""
        for _, waiting in self.held:
            waiting.set_result(None)
        self.held.clear()

    async def command_occupy(self, spec):
        """Another program acquires a characteristic's notifications."""
        for characteristic in self.characteristics.values():
            if characteristic.uuid == spec["uuid"]:
                self.others_end, _ = self.acquire(characteristic.path, "notify_socket", "notify")

    async def command_clear_faults(self, spec):
        self.faults.clear()

    async def command_att_error(self, spec):
        self.units[spec["address"]].att_error[spec["uuid"]] = spec["code"]

    async def command_notify(self, spec):
        device = self.device_path(spec["address"])
        for number in range(spec["count"]):
            self.notify(device, spec["uuid"], number.to_bytes(4, "little"))
            if number % 20 == 19:
                # dbus-fast gives up on a bus whose socket is full: the bus's answer says that it has read all this.
                await self.bus.call(Message(
                    destination="org.freedesktop.DBus", path="/org/freedesktop/DBus",
                    interface="org.freedesktop.DBus.Peer", member="Ping"))

    async def command_flood(self, spec):
        """Advertisements of many devices, so many a second; returns at once, ``advertised`` counts them."""
        self.flooding = asyncio.create_task(self.flood(spec["rate"], spec["count"], spec["devices"], spec["bytes"]))

    async def flood(self, rate, count, devices, size):
        begin = asyncio.get_running_loop().time()
        for number in range(count):
            address = "C1:00:00:00:%02X:%02X" % divmod(number % devices, 256)
            extra = {"RSSI": Variant("n", -40 - number % 50),
                     "ManufacturerData": Variant("a{qv}", {0xFFFF: Variant("ay", bytes([number % 256]) * size)})}
            path = self.device_path(address)
            if path in self.objects:
                self.set(path, DEVICE, **extra)
            else:
                self.know(address, **extra)
            self.advertised += 1
            if number % 20 == 19:
                await self.bus.call(Message(
                    destination="org.freedesktop.DBus", path="/org/freedesktop/DBus",
                    interface="org.freedesktop.DBus.Peer", member="Ping"))
                await asyncio.sleep(max(0, begin + (number + 1) / rate - asyncio.get_running_loop().time()))
        self.touch()

    async def command_drop(self, spec):
        self.link_down(self.device_path(spec["address"]))

    async def command_stall(self, spec):
        for characteristic in self.characteristics.values():
            if characteristic.uuid == spec["uuid"]:
                characteristic.is_stalled = spec["on"]
                if characteristic.write_socket is not None:
                    if spec["on"]:
                        asyncio.get_running_loop().remove_reader(characteristic.write_socket)
                    else:
                        self.listen(characteristic, "write_socket")

    async def command_hang_up(self, spec):
        """Closes the sockets of notifications, and keeps the link."""
        for characteristic in self.characteristics.values():
            self.release(characteristic, "notify_socket")

    async def command_emit(self, spec):
        """A signal with a body of the caller's choosing, to try what malformed ones do."""
        bodies = {
            "changed-with-numbers": ("uu", [1, 2]),
            "changed-without-path": ("s", ["org.bluez.Device1"]),
            "wrong-types": ("sa{sv}as", [DEVICE, {"RSSI": Variant("s", "loud"), "Connected": Variant("s", "yes"),
                                                  "UUIDs": Variant("ay", b"\x00\x01"), "Name": Variant("n", 7)}, []]),
            "empty": ("", []),
        }
        signature, body = bodies[spec["body"]]
        path = self.device_path(spec["address"]) if "address" in spec else "/"
        self.signal(path, PROPERTIES, "PropertiesChanged", signature, body)
        self.signal("/", OBJECTS, "InterfacesAdded", signature, body)
        self.signal("/", OBJECTS, "InterfacesRemoved", signature, body)

    async def command_forge(self, spec):
        """Another client's signals, sent straight to everybody else: they say what only bluetoothd knows. Then it plays bluetoothd
        before everybody's agent, and wants to be refused."""
        stranger = await MessageBus(bus_address=sys.argv[1]).connect()
        device, invented = self.device_path(spec["address"]), self.device_path(spec["invented"])
        properties = {"Address": Variant("s", spec["invented"]), "AddressType": Variant("s", "random"), "Name": Variant("s", "monocle"),
                      "Adapter": Variant("o", self.adapter), "RSSI": Variant("n", -30), "Connected": Variant("b", False)}
        signals = [("/", OBJECTS, "InterfacesAdded", "oa{sa{sv}}", [invented, {DEVICE: properties}]),
                   (device, PROPERTIES, "PropertiesChanged", "sa{sv}as", [DEVICE, {"Connected": Variant("b", False)}, []]),
                   ("/", OBJECTS, "InterfacesRemoved", "oas", [device, [DEVICE]]),
                   ("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged", "sss",
                    ["org.bluez", self.bus.unique_name, ""])]
        names = (await stranger.call(Message(
            destination="org.freedesktop.DBus", path="/org/freedesktop/DBus", interface="org.freedesktop.DBus",
            member="ListNames"))).body[0]
        others = [name for name in names if name[0] == ":" and name not in (self.bus.unique_name, stranger.unique_name)]
        for name in others:
            for path, interface, member, signature, body in signals:
                await stranger.send(Message(message_type=MessageType.SIGNAL, destination=name, path=path, interface=interface,
                                            member=member, signature=signature, body=body))
            answer = await stranger.call(Message(
                destination=name, path="/noafw/agent", interface=AGENT, member="RequestConfirmation", signature="ou",
                body=[device, 123456]))
            if answer.error_name != "org.freedesktop.DBus.Error.AccessDenied":
                raise Refusal("Failed", f"the agent answered a stranger with {answer.error_name}")
        stranger.disconnect()
        if not others:
            raise Refusal("Failed", "nobody else is on the bus")

    async def obey(self, line):
        spec = json.loads(line)
        try:
            result = await getattr(self, "command_" + spec.pop("do"))(spec)
            answer = {"ok": True, "state": result}
        except Exception as error:
            answer = {"ok": False, "why": repr(error)}
        self.touch()
        print(json.dumps(answer), flush=True)


async def main():
    bus = await MessageBus(bus_address=sys.argv[1], negotiate_unix_fd=True).connect()
    # dbus-fast gives up on a bus whose socket is full: a long list of devices, asked for in the middle of a flood, has to fit.
    bus._sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
    daemon = Daemon(bus)
    bus.add_message_handler(daemon.handle)
    await bus.call(Message(destination="org.freedesktop.DBus", path="/org/freedesktop/DBus",
                           interface="org.freedesktop.DBus", member="AddMatch", signature="s",
                           body=["type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'"]))
    await bus.request_name("org.bluez", NameFlag.NONE)
    air = asyncio.create_task(daemon.air())
    print(json.dumps({"ok": True, "process": os.getpid()}), flush=True)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        await daemon.obey(line)
    air.cancel()
    bus.disconnect()


asyncio.run(main())
