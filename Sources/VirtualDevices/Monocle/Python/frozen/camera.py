# Pictures. The device's driver runs on the FPGA; here the model has the picture.
import _camera
import fpga

if fpga.read(1, 4) != b"Mncl":
    raise (NotImplementedError("camera driver not found on FPGA"))

RGB = "RGB"
JPEG = "JPEG"


def capture():
    _camera.wake()


def read(bytes=254):
    if bytes > 254:
        raise ValueError("at most 254 bytes")
    data = _camera._picture(bytes)
    if not data:
        _camera.sleep()
        return None
    return data


def output(x, y, mode):
    return NotImplemented


def zoom(factor):
    return NotImplemented
