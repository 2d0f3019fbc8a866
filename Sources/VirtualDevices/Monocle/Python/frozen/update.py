# The way to the bootloader and to the FPGA's flash.
import _update as __update
import time as __time


def micropython():
    if not __update.connected():
        return
    print("Monocle will reset if not updated within 5 minutes.\n")
    print("If an update fails, connect to DfuTarg again.\n")
    print("Monocle enters update mode")
    for _ in range(3):
        __time.sleep(1)
        print("\b.")
    __update.nrf52()


class Fpga:
    def read(address, length):
        return __update.read_fpga_app(address, length)

    def write(data):
        return __update.write_fpga_app(data)

    def erase():
        return __update.erase_fpga_app()
