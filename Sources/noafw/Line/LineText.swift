import Provisioning
import Support

/// What a line shows besides the verdicts.
enum LineText {
    static let inputEnded = "the scanner's input has ended, and serial numbers are asked for (--serial ask): the line ends"

    static func stranger(_ unit: DiscoveredUnit) -> String {
        "\(unit.address) is a bootloader that this station has not worked on: it is left alone; next: take it away, or list it with "
            + "--devices"
    }

    static func silent(_ time: Duration) -> String {
        "nothing at all was heard for \(Int(time.inSeconds / 60)) minutes, and listening goes on; "
            + "next: if the place is empty, nothing; if a unit lies here, wake it, then try: systemctl restart bluetooth"
    }

    static func unused(_ serial: String) -> String {
        "serial \(serial) is not kept, as this unit has passed already; next: scan the number of the next unit"
    }
}
