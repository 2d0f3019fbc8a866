import _hw
if _hw.start():
    del _hw
    execfile("main.py")
else:
    del _hw
