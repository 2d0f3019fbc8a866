/// Codes of earlier versions, each with the code that took its meaning over because cause and remedy were the same. None is used again.
let mergedCodes: [String: String] = [
    "BLZ-0050": "BLZ-0027",
]
