"""Bonds of a unit that wants them: bumble carries LE legacy just-works pairing, the unit decides and keeps the key.

Core Specification, Vol 3, Part H. The unit's long-term key is what it keeps in its folder, as it stands in a real one's flash.
"""

import asyncio
import functools

from bumble import smp
from bumble.pairing import PairingConfig, PairingDelegate

# What a Frame's radio answers with when it keeps no bond: no host has it, so the link breaks.
NO_KEY = b"\xff" * 16
ANSWER_TIMEOUT = 5


class UnitSession(smp.Session):
    """The responder's side of one pairing. The unit is asked before bumble answers."""

    def __init__(self, identity, *arguments, **options):
        super().__init__(*arguments, **options)
        self.identity = identity

    def on_smp_pairing_request_command(self, command):
        self.identity.unit.secure(self.identity, None, lambda key, reason: self.go_on(command, key, reason))

    def go_on(self, command, key, reason):
        if self.identity.connection is not self.connection:
            return
        if key is None:
            # At once: the unit may end the link next.
            self.send_pairing_failed(smp.ErrorCode(reason))
        else:
            self.unit_key = key
            super().on_smp_pairing_request_command(command)

    def distribute_keys(self):
        # bumble has drawn one of its own.
        self.ltk = self.unit_key
        super().distribute_keys()


class Security:
    """What a device does for the security of its links."""

    def __init__(self, identity):
        self.identity = identity
        self.device = device = identity.device
        keys = PairingDelegate.KeyDistribution
        delegate = PairingDelegate(
            PairingDelegate.NO_OUTPUT_NO_INPUT, keys.DISTRIBUTE_IDENTITY_KEY, keys.DISTRIBUTE_ENCRYPTION_KEY)
        device.pairing_config_factory = lambda connection: PairingConfig(sc=False, mitm=False, bonding=True, delegate=delegate)
        device.smp_manager.session_proxy = functools.partial(UnitSession, identity)
        device.host.long_term_key_provider = self.long_term_key

    def request(self, connection):
        """Bonding, no MITM, no secure connections."""
        self.device.smp_manager.request_pairing(connection)

    async def long_term_key(self, handle, rand, ediv):
        """The key that the controller encrypts with: the short-term one of a pairing under way, or the bond's."""
        session = self.device.smp_manager.sessions.get(handle)
        if session and not session.completed:
            return session.get_long_term_key(rand, ediv)
        key = self.identity.unit.bond
        if key is None:
            return NO_KEY
        answered = asyncio.get_running_loop().create_future()
        self.identity.unit.secure(self.identity, key, lambda *_: answered.set_result(None))
        await asyncio.wait_for(answered, ANSWER_TIMEOUT)
        return key
