import _hw

VERSION = str(_hw.call(_hw.DEVICE, b"version"), "utf-8")
GIT_TAG = "virtual"


def mac_address():
    return str(_hw.call(_hw.DEVICE, b"address"), "utf-8")


def battery_level():
    return _hw.call(_hw.DEVICE, b"battery")[0]


def is_charging():
    return _hw.call(_hw.DEVICE, b"charging") == b"\x01"


def reset_cause():
    return str(_hw.call(_hw.DEVICE, b"cause"), "utf-8")


def prevent_sleep(enable=True):
    return None


def reset():
    if _hw.call(_hw.NOTIFICATIONS, b"r") == b"\x01":
        print("Resetting...")
        import time
        time.sleep(3)
        _hw.call(_hw.RESET)
