"""Sends a DFU package by Nordic's own algorithm (nordicsemi.dfu.dfu_transport_ble of nrfutil 6.1.7).

The radio is replaced by a conversation over stdin and stdout, one line each way:
  C <hex>        control-point write   -> "ok" | "att <hex>" | "lost"
  P <hex>        packet write          -> "ok" | "lost"
  W <seconds>    wait for notification -> "n <hex>" | "timeout" | "lost"
and at the end "R ok", "R lost" or "R error <text>", without a reply.
Usage: nordic_sender.py PACKAGE PACKET_SIZE RECEIPT_INTERVAL
"""

import queue
import sys
import tempfile
import threading
import types


class LinkLost(Exception):
    """The unit is out of reach."""


def stub_radio_driver():
    """pc_ble_driver_py loads a native library for a USB dongle: names that take anything stand in for it."""

    class Anything:
        api_lock = threading.RLock()

        def __init__(self, *arguments, **named):
            pass

    class NordicSemiException(Exception):
        pass

    def module(name, **members):
        stub = types.ModuleType(name)
        stub.__dict__.update(members)
        stub.__getattr__ = lambda attribute: type(attribute, (Anything,), {})
        sys.modules[name] = stub
        return stub

    config = module("pc_ble_driver_py.config", sd_api_ver_get=lambda: 5)
    package = module("pc_ble_driver_py", config=config)
    package.__path__ = []
    module(
        "pc_ble_driver_py.exceptions",
        NordicSemiException=NordicSemiException,
        IllegalStateException=type("IllegalStateException", (NordicSemiException,), {}),
    )
    module("pc_ble_driver_py.ble_driver", NordicSemiErrorCheck=lambda function: function, ATT_MTU_DEFAULT=23)
    module("pc_ble_driver_py.ble_adapter")


class Conversation:
    """What DfuTransportBle expects of its adapter."""

    def __init__(self, packet_size):
        self.packet_size = packet_size
        self.notifications_q = self

    @staticmethod
    def _exchange(line):
        print(line, flush=True)
        reply = sys.stdin.readline().split()
        if not reply or reply[0] == "lost":
            raise LinkLost()
        return reply

    def write_control_point(self, data):
        reply = self._exchange("C " + bytes(data).hex())
        if reply[0] == "att":
            raise RuntimeError("ATT error 0x" + reply[1])

    def write_data_point(self, data):
        self._exchange("P " + bytes(data).hex())

    def get(self, timeout):
        reply = self._exchange(f"W {timeout}")
        if reply[0] == "timeout":
            raise queue.Empty()
        return list(bytes.fromhex(reply[1]))


def send(package_path, packet_size, receipt_interval):
    from nordicsemi.dfu.dfu_transport_ble import DfuTransportBle
    from nordicsemi.dfu.package import Package

    with tempfile.TemporaryDirectory() as folder:
        manifest = Package.unpack_package(package_path, folder + "/package")
        application = manifest.application
        with open(f"{folder}/package/{application.dat_file}", "rb") as file:
            init_packet = file.read()
        with open(f"{folder}/package/{application.bin_file}", "rb") as file:
            firmware = file.read()
    transport = DfuTransportBle(serial_port=None, att_mtu=packet_size + 3, prn=receipt_interval)
    transport.dfu_adapter = Conversation(packet_size)
    # open() would scan with the dongle; of what it does, this is the part that the bootloader sees.
    transport._DfuTransportBle__set_prn()
    transport.send_init_packet(init_packet)
    transport.send_firmware(firmware)


def main():
    stub_radio_driver()
    try:
        send(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    except LinkLost:
        print("R lost", flush=True)
    except Exception as error:
        print("R error " + " ".join(str(error).split()), flush=True)
    else:
        print("R ok", flush=True)


main()
