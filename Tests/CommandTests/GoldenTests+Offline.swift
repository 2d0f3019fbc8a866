/// Verbs that need an adapter where there is none, bonds, and runs that a signal ends.
extension GoldenTests {
    static let withoutAdapter = [
        Step("overview", ""),
        Step("explain", "explain BLE-0011 --json"),
        Step("explain-text", "explain BLE-0011"),
        Step("explain-unknown", "explain BLE-9011 --json"),
        Step("units-name", "units name C6:05:04:03:02:01 Room"),
        Step("units-list", "units list --json"),
        Step("units-forget", "units forget Room"),
        Step("info", "info --virtual frame:one --virtual-speed max --json"),
        Step("info-robot", "info --virtual openbot --virtual-speed max"),
        Step("info-fails", "info --json"),
        Step("info-usage", "info --url x --json"),
        Step("meant", "bundle shwo x.zip --json"),
        Step("device-mistyped", "flash --device C6:05:04:03:02 --json"),
        Step("doctor", "doctor --json"),
        Step("doctor-usage", "doctor --adapter ../x --json"),
        Step("scan", "scan --json"),
        Step("scan-usage", "scan --seconds 0 --json"),
        Step("pair", "pair --json"),
        Step("pair-usage", "pair --timeout 0 --json"),
        Step("unpair", "unpair --device C6:05:04:03:02:01 --json"),
        Step("unpair-usage", "unpair --device Frame --json"),
        Step("rescue", "rescue --json"),
        Step("rescue-usage", "rescue --device Frame --json"),
        Step("verify-without-adapter", "verify --json"),
        Step("type", "type Hello --json"),
        Step("type-usage", "type Hello --layout xx --json"),
        Step("type-dry-run", "type Hello --dry-run"),
        Step("type-sent", "type Hello --enter --virtual keyboard --virtual-speed max --json"),
        Step("type-fails", "type Hello --virtual keyboard --layout us --follow --json"),
        Step("robot-info", "robot info", showsErrors: true),
        Step("chat-check", "chat --check --json"),
        Step("robot-drive", "robot drive 100 100 --for 300ms --virtual openbot --virtual-speed max --json"),
        Step("robot-test", "robot test --virtual openbot --virtual-speed max --json"),
        Step("robot-test-usage", "robot test --timeout 0 --json"),
        Step("robot-image", "robot image missing.bin --json"),
        Step("robot-flash", "flash --virtual openbot --json"),
        Step("console", "console", showsErrors: true),
        Step("console-usage", "console --timeout 0", showsErrors: true),
        Step("console-fails", "console --virtual frame:one --virtual-speed max", input: "print(1)\nerror('no')\n", showsErrors: true),
    ]

    static let bonds = [
        Step("pair-made", "pair --virtual frame:bonded --virtual-speed max --json"),
        Step("pair-kept", "pair --virtual frame:bonded --virtual-speed max --json"),
        Step("unpair-removed", "unpair --virtual frame:bonded --json"),
        Step("unpair-absent", "unpair --virtual frame:bonded --press-cradle-button --json"),
        Step("pair-without-bonds", "pair --virtual monocle --virtual-speed max --json"),
        Step("unpair-not-named", "unpair --json"),
    ]

    /// Each one would go on for many seconds.
    static let interrupted = [
        Step(
            "pair-interrupted", "pair --virtual frame:slow --virtual-speed 0.02 --json", interruption: ("{", "virtual/frame/slow/unit.json")
        ),
        Step("flash-interrupted", "flash --virtual monocle:slow --virtual-speed 0.2 --only scripts --events STATE/first --json",
            interruption: (#""stage":"connect""#, "first")),
        Step("flash-interrupted-writing", "flash --virtual monocle:slow --virtual-speed 0.4 --only scripts --events STATE/second --json",
            interruption: (#""event":"plan""#, "second")),
        Step("verify-interrupted", "verify --virtual monocle:slow --virtual-speed 0.2 --only scripts --events STATE/third --json",
            interruption: (#""stage":"connect""#, "third")),
        Step(
            "fleet-interrupted",
            "flash --virtual monocle:s --virtual monocle:t --jobs 1 --seed 1 --virtual-speed 4 --only scripts --events STATE/fourth --json",
            interruption: (#""stage":"connect""#, "fourth")),
    ]
}

extension GoldenTests.Step {
    fileprivate init(
        _ name: String, _ arguments: String, input: String? = nil, showsErrors: Bool = false,
        interruption: (text: String, file: String)? = nil
    ) {
        self.init(name, arguments, columns: nil)
        (self.input, self.showsErrors, self.interruption) = (input, showsErrors, interruption)
    }
}
