import Support

public enum FrameError: Error, Hashable, Sendable {
    /// This host may have bonded with it.
    case halo(isBonded: Bool)
    /// Printable.
    case folderInPlace(String)
    /// A script contains a 0 byte, at which the firmware up to v24.248 truncates a write (frame-codebase, `file.c`); printable.
    case zeroByte(String)
    /// Replaced by one of the program's functions; printable.
    case functionReplaced(String)
    /// Only a power cycle restarts its application.
    case noRestart
}

extension FrameError: DiagnosableError {
    public var obstacle: Obstacle? { nil }

    public var diagnosis: Diagnosis {
        switch self {
        case .halo(let isBonded):
            Diagnosis(
                "FRM-0001", .unavailable, .station,
                "the unit is a Halo, not a Frame" + (isBonded ? "; it has bonded with this machine" : ""),
                cause: "it advertises Frame's service, but its firmware is another",
                remedy: isBonded
                    ? "remove this machine's side of the bond with noafw unpair --device, and use the vendor's tools for the unit; "
                        + "nothing else was changed"
                    : "use the vendor's tools for it; noafw has changed nothing on it")
        case .folderInPlace(let name):
            unit("FRM-0002", "a folder on the unit has the name of the script \(name)", cause: "another program has made it",
                 remedy: "remove its files and then the folder with frame.file.remove, and run the same command again")
        case .zeroByte(let name):
            unit("FRM-0006", "the unit's firmware cannot store \(name), which holds a byte of 0; its old files are still there",
                 cause: "firmware before v24.255 cuts what it writes off at such a byte",
                 remedy: "update the firmware first, with noafw flash, or leave the byte out of the file")
        case .functionReplaced(let name):
            unit("FRM-0005", "the unit's program has replaced the firmware's \(name)",
                 cause: "what the unit says of its files is the word of that program, which its firmware always starts first",
                 remedy: "run noafw flash --force with the files that the unit is to have; if that fails, press the button of its cradle "
                    + "while it charges, which erases bond and scripts (Frame Lite: its own button), and run noafw pair before it")
        case .noRestart:
            unit("FRM-0004", "the unit cannot be restarted over the air", cause: "its firmware has no command for it",
                 remedy: "restart it by hand: put it into its cradle and take it out again")
        }
    }

    private func unit(_ code: String, _ message: String, cause: String, remedy: String) -> Diagnosis {
        Diagnosis(code, .unitFailed, .unit, message, cause: cause, remedy: remedy)
    }
}
