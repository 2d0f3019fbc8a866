# The way to the bootloader and to the FPGA's flash.
import _update as __update
import time as __time


def micropython():
    if not __update.connected():
        return
    print("The bootloader waits 5 minutes for an update.\n")
    print("Should it fail, connect to DfuTarg and repeat it.\n")
    print("Restarting into the bootloader")
    for _ in range(3):
        __time.sleep(1)
        print("\b.")
    __update.nrf52()


# Python functions, as on the device: each call takes a frame, and stands in tracebacks.
class Fpga:
    def read(start, count):
        return __update.read_fpga_app(start, count)

    def write(content):
        return __update.write_fpga_app(content)

    def erase():
        return __update.erase_fpga_app()
