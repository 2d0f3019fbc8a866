import _hw


def capture():
    _hw.call(_hw.CAPTURE)


def read(length=254):
    if length > 254:
        raise ValueError("at most 254 bytes at a time")
    data = _hw.call(_hw.CAMERA, bytes([length]))
    return data if data else None


def wake():
    return None


def sleep():
    return None
