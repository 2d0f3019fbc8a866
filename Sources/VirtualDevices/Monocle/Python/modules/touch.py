import _hw

A = "A"
B = "B"
BOTH = "BOTH"
EITHER = "EITHER"

_functions = {}
_CHANNEL = 0x54


def _touched(data):
    pad = A if data == b"A" else B
    function = _functions.get(pad)
    if function is not None:
        function(pad)


def callback(pad, *function):
    pads = (A, B) if pad in (BOTH, EITHER) else (pad,)
    if not function:
        return _functions.get(pads[0])
    for each in pads:
        _functions[each] = function[0]
    _hw.register(_CHANNEL, _touched)


def state(*pad):
    touched = _hw.call(_hw.TOUCH)
    names = {b"": None, b"A": A, b"B": B, b"AB": BOTH}
    now = names[touched]
    if not pad:
        return now
    if pad[0] == EITHER:
        return now is not None
    return now == pad[0] or (now == BOTH and pad[0] in (A, B))
