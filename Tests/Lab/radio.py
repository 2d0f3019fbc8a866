"""The lab's air: bumble's controllers on one virtual link. The guest's kernel drives one of them, each unit identity another.

Knows no protocol above ATT: what a write means, and what a unit answers, is the unit server's business (unit.py).
"""

import asyncio

from bumble import att, hci
from bumble.controller import Controller
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport.common import PacketParser

from security import Security

# Link-layer packets with the data length extension; bumble's controllers have 27 bytes.
DATA_LENGTH = 251
ADVERTISING_INTERVAL = 150.0
# Bit of the LE event mask (Core Specification, Vol 4, Part E, 7.8.1).
ENHANCED_CONNECTION_COMPLETE = 1 << 9
# Bytes (Core Specification, Vol 6, Part B, 2.3.1.1).
ADVERTISEMENT = 31
SCAN_RESPONSE = hci.HCI_LE_Advertising_Report_Event.EventType.SCAN_RSP
EXTENDED_SCAN_RESPONSE = hci.HCI_LE_Extended_Advertising_Report_Event.EventType.SCAN_RESPONSE


class Air(LocalLink):
    """Carries packets between the controllers, with a signal strength for each advertiser."""

    def __init__(self):
        super().__init__()
        self.rssi = {}
        # By an advertiser's address: what it answers an active scan with.
        self.scan_responses = {}
        # By a unit's address: how many packets its link layer has not taken yet.
        self.backlogs = {}

    def report_completed(self, unit_address):
        """The unit's link layer has taken what there was: tells the host that is linked to it."""
        for controller in self.controllers:
            if isinstance(controller, HostAdapter):
                controller.report_completed(unit_address)

    def send_acl_data(self, sender, destination, transport, data):
        """As bumble's, but from the address that the link was made with: a host may use its public one."""
        link = sender.le_connections.get(destination)
        receiver = self.find_le_controller(destination)
        if link and receiver:
            source = link.self_address
            asyncio.get_running_loop().call_soon(lambda: receiver.on_link_acl_data(source, transport, data))


class LongPacketController(Controller):
    le_acl_data_packet_length = DATA_LENGTH
    supported_max_tx_octets = DATA_LENGTH
    supported_max_rx_octets = DATA_LENGTH


class HostAdapter(LongPacketController):
    """The controller behind the guest's kernel.

    It tells the host that a packet is gone only once the unit's link layer has taken it, as a real one does: that is
    what holds back a host that sends faster than the air carries.
    """

    total_num_le_acl_data_packets = 8

    def __init__(self, reader, writer, air, address):
        parser = PacketParser()
        super().__init__(f"adapter {address}", host_source=parser, host_sink=SocketSink(writer), link=air, public_address=address)
        self.reader, self.parser, self.air = reader, parser, air
        # Called at each new link.
        self.on_link = lambda: None
        # Packets taken from the host but not reported as sent, by connection handle.
        self.unreported = {}

    async def serve(self):
        while data := await self.reader.read(65536):
            self.parser.feed_data(data)

    def send_hci_packet(self, packet):
        if isinstance(packet, (hci.HCI_LE_Extended_Advertising_Report_Event, hci.HCI_LE_Advertising_Report_Event)):
            for report in packet.reports:
                report.rssi = self.air.rssi.get(str(report.address), report.rssi)
                # bumble's controllers answer a scan with the advertisement itself.
                if report.event_type in (SCAN_RESPONSE, EXTENDED_SCAN_RESPONSE):
                    report.data = self.air.scan_responses.get(str(report.address), report.data)
            # The event keeps the bytes that it was made with.
            packet = type(packet)(packet.reports)
        elif isinstance(packet, hci.HCI_LE_Connection_Complete_Event):
            if packet.status == hci.HCI_ErrorCode.SUCCESS:
                self.on_link()
            if self.le_event_mask & ENHANCED_CONNECTION_COMPLETE:
                packet = enhanced(packet)
        super().send_hci_packet(packet)

    def on_hci_acl_data_packet(self, packet):
        if connection := self.find_connection_by_handle(packet.connection_handle):
            connection.assembler.feed_packet(packet)
            self.unreported[connection.handle] = self.unreported.get(connection.handle, 0) + 1
            # What the packet adds to the backlog shows in the next round of the loop.
            asyncio.get_running_loop().call_later(0.001, self.report_completed, connection.peer_address)

    def report_completed(self, peer):
        connection = self.le_connections.get(peer)
        backlog = self.air.backlogs.get(str(peer), lambda: 0)
        if connection and backlog() == 0 and (count := self.unreported.pop(connection.handle, 0)):
            self.send_hci_packet(
                hci.HCI_Number_Of_Completed_Packets_Event(
                    connection_handles=[connection.handle], num_completed_packets=[count]))

    def on_le_disconnected(self, connection, reason):
        self.unreported.pop(connection.handle, None)
        super().on_le_disconnected(connection, reason)

    def on_hci_le_create_connection_cancel_command(self, command):
        """A cancelled attempt ends with a Connection Complete of status 0x02 (Core Specification, Vol 4, Part E, 7.8.13)."""
        if not self.pending_le_connection:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        address = self.pending_le_connection.peer_address
        self.pending_le_connection = None
        asyncio.get_running_loop().call_soon(
            self.send_hci_packet,
            hci.HCI_LE_Connection_Complete_Event(
                status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0,
                role=hci.Role.CENTRAL, peer_address_type=address.address_type, peer_address=address,
                connection_interval=0, peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0))
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_hci_reset_command(self, command):
        """Forgets scans, attempts and links; the other sides notice by their supervision timeout."""
        self.le_scan_enable = False
        self.pending_le_connection = None
        for connection in list(self.le_connections.values()):
            break_link(self.air, connection.peer_address, tell_host=False)
        return super().on_hci_reset_command(command)


def enhanced(event):
    """The form of the event that a kernel which asks for it waits for; bumble's controllers know the plain one."""
    fields = (
        "status connection_handle role peer_address_type peer_address connection_interval peripheral_latency"
        " supervision_timeout central_clock_accuracy").split()
    return hci.HCI_LE_Enhanced_Connection_Complete_Event(
        local_resolvable_private_address=Address.ANY, peer_resolvable_private_address=Address.ANY,
        **{name: getattr(event, name) for name in fields})


class SocketSink:
    def __init__(self, writer):
        self.writer = writer

    def on_packet(self, packet):
        self.writer.write(packet)


def break_link(air, unit_address, tell_host=True):
    """Ends a link without a word: both sides get a supervision timeout."""
    for controller in air.controllers:
        for connection in list(controller.le_connections.values()):
            addresses = (connection.self_address, connection.peer_address)
            if unit_address not in addresses:
                continue
            if tell_host or not isinstance(controller, HostAdapter):
                controller.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
            else:
                del controller.le_connections[connection.peer_address]


PROPERTIES = {
    "write": Characteristic.Properties.WRITE,
    "command": Characteristic.Properties.WRITE_WITHOUT_RESPONSE,
    "notify": Characteristic.Properties.NOTIFY,
}


class Identity:
    """One address of a unit on the air, with its attribute table. `unit` is told what a central does."""

    def __init__(self, air, unit, description):
        self.air = air
        self.unit = unit
        self.address = Address(description["address"], Address.RANDOM_DEVICE_ADDRESS)
        host = Host()
        self.controller = LongPacketController(str(self.address), link=air)
        host.controller = self.controller
        self.device = Device(name=description["name"], address=self.address, host=host)
        self.characteristics = {}
        self.connection = None
        for service in description["table"]:
            self.device.add_service(Service(service["uuid"], [self.characteristic(item) for item in service["characteristics"]]))
        self.handles = {item.handle: item for item in self.characteristics.values()}
        server = self.device.gatt_server
        server.on_att_write_command = self.on_command
        self.answer_other_write = server.on_att_write_request
        server.on_att_write_request = self.on_write
        self.device.on("connection", self.on_connection)
        self.security = Security(self) if description["requestsSecurity"] else None
        self.is_on = False

    def characteristic(self, description):
        properties = Characteristic.Properties(0)
        for name in description["properties"]:
            properties |= PROPERTIES[name]
        uuid = description["uuid"]
        item = Characteristic(uuid, properties, Characteristic.WRITEABLE, b"")
        item.on(item.EVENT_SUBSCRIPTION, lambda bearer, notify, indicate: self.unit.on_subscription(self, uuid, notify))
        item.uuid_text = uuid
        self.characteristics[uuid] = item
        return item

    async def advertise(self, description):
        if not self.is_on:
            await self.device.power_on()
            self.is_on = True
        self.device.gatt_server.max_mtu = description["mtu"]
        answered = description["scanResponse"]
        data = flags() + services([uuid for uuid in description["services"] if uuid not in answered])
        response = services(answered)
        name = bytes(AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, description["name"].encode())]))
        # As a stack does it that has no room left.
        if len(data + name) <= ADVERTISEMENT:
            data += name
        else:
            response += name
        self.air.scan_responses.pop(str(self.address), None)
        if response:
            self.air.scan_responses[str(self.address)] = response
        await self.device.start_advertising(
            advertising_data=data, advertising_interval_min=ADVERTISING_INTERVAL, advertising_interval_max=ADVERTISING_INTERVAL)

    async def silence(self):
        if self.is_on:
            await self.device.stop_advertising()

    def on_connection(self, connection):
        self.connection = connection
        connection.on("disconnection", lambda reason: self.on_disconnection(connection, reason))
        self.unit.on_connection(self)
        if self.security:
            self.security.request(connection)

    def on_disconnection(self, connection, reason):
        if self.connection is connection:
            self.connection = None
            self.unit.on_disconnection(self, reason)

    def on_command(self, bearer, request):
        if item := self.handles.get(request.attribute_handle):
            self.unit.on_command(self, item.uuid_text, request.attribute_value)

    def on_write(self, bearer, request):
        item = self.handles.get(request.attribute_handle)
        if item is None:
            # The client characteristic configurations are bumble's.
            self.answer_other_write(bearer, request)
            return

        def answer(error):
            if error is None:
                response = att.ATT_Write_Response()
            else:
                response = att.ATT_Error_Response(
                    request_opcode_in_error=request.op_code, attribute_handle_in_error=request.attribute_handle,
                    error_code=error)
            if self.connection is bearer:
                self.device.gatt_server.send_response(bearer, response)

        self.unit.on_write(self, item.uuid_text, request.attribute_value, answer)

    async def notify(self, uuid, value):
        if self.connection:
            await self.device.notify_subscriber(self.connection, self.characteristics[uuid], value)

    async def disconnect(self):
        if self.connection:
            await self.connection.disconnect()

    def break_link(self):
        break_link(self.air, self.address)


def flags():
    return bytes(AdvertisingData([(AdvertisingData.FLAGS, bytes([0x06]))]))


def services(uuids):
    """The fields of an advertisement that name services."""
    long = b"".join(bytes.fromhex(uuid.replace("-", ""))[::-1] for uuid in uuids if not is_short(uuid))
    short = b"".join(bytes.fromhex(uuid[4:8])[::-1] for uuid in uuids if is_short(uuid))
    fields = []
    if long:
        fields.append((AdvertisingData.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, long))
    if short:
        fields.append((AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, short))
    return bytes(AdvertisingData(fields))


def is_short(uuid):
    return uuid.endswith("-0000-1000-8000-00805f9b34fb")
