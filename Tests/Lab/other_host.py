"""Another host on the lab's air, such as a phone: a radio, a stack and keys of its own. It knows nothing of noafw."""

import asyncio
import contextlib

from bumble.core import PhysicalTransport, ProtocolError
from bumble.device import Device
from bumble.hci import Address
from bumble.host import Host
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate

from radio import LongPacketController

TIMEOUT = 30


class OtherHost:
    def __init__(self, air):
        host = Host()
        self.controller = host.controller = LongPacketController("other host", link=air, public_address="00:1B:DC:0F:00:77")
        self.device = Device(name="other host", address=Address("F0:F1:F2:F3:F4:F5"), host=host)
        self.device.keystore = MemoryKeyStore()
        keys = PairingDelegate.KeyDistribution
        delegate = PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT, keys.DISTRIBUTE_IDENTITY_KEY, keys.DISTRIBUTE_ENCRYPTION_KEY)
        self.device.pairing_config_factory = lambda connection: PairingConfig(sc=False, mitm=False, bonding=True, delegate=delegate)

    @contextlib.asynccontextmanager
    async def link(self, unit):
        connection = await self.device.connect(
            Address(unit.address, Address.RANDOM_DEVICE_ADDRESS), PhysicalTransport.LE, timeout=TIMEOUT)
        try:
            yield connection
        finally:
            # A unit that refuses ends the link by itself.
            with contextlib.suppress(ProtocolError, asyncio.TimeoutError):
                await asyncio.wait_for(connection.disconnect(), TIMEOUT)

    async def pair(self, unit):
        """Whether the unit makes a bond with this host."""
        async with self.link(unit) as connection:
            try:
                await asyncio.wait_for(connection.pair(), TIMEOUT)
            except (ProtocolError, asyncio.CancelledError, asyncio.TimeoutError):
                return False
            return connection.is_encrypted

    async def encrypt(self, unit):
        """Whether the unit takes this host's key of their bond."""
        async with self.link(unit) as connection:
            try:
                await asyncio.wait_for(connection.encrypt(), TIMEOUT)
            except (ProtocolError, asyncio.CancelledError, asyncio.TimeoutError):
                return False
            return connection.is_encrypted


@contextlib.asynccontextmanager
async def other_host(lab):
    host = OtherHost(lab.bench.air)
    await host.device.power_on()
    try:
        yield host
    finally:
        await host.device.power_off()
        lab.bench.air.remove_controller(host.controller)
