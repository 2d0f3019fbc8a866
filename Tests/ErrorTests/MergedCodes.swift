/// Codes of earlier versions, each with the code that took its meaning over because cause and remedy were the same. None is used again.
let mergedCodes: [String: String] = [
    "BLZ-0031": "BLZ-0030",
    "BLZ-0033": "BLZ-0032",
    "BLZ-0040": "BLE-0014",
    "BLZ-0042": "BLE-0005",
    "BLZ-0048": "BLZ-0010",
    "BLZ-0049": "BLZ-0041",
    "BLZ-0050": "BLZ-0027",
    "BLZ-0052": "BLZ-0010",
    "DFU-1015": "DFU-1012",
    "DFU-1017": "DFU-1018",
    "DFU-1042": "DFU-1041",
    "DFU-1048": "DFU-1041",
    "DFU-1049": "DFU-1041",
    "DFU-104A": "DFU-1041",
    "LED-0011": "LED-0007",
]
