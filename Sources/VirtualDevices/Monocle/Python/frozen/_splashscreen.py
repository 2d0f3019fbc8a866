# The first picture after a start, if the FPGA can draw.
import fpga, display

if fpga.read(1, 4) == b"Mncl":
    display.show(display.Text("MONOCLE", 320, 200, display.WHITE, justify=display.MIDDLE_CENTER))

del fpga, display
