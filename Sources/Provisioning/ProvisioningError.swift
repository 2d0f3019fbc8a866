import Bluetooth
import REPL
import Support

/// What stops one unit's run, beside the errors of the parts.
public enum ProvisioningError: Error, Sendable, Hashable {
    case unitNotFound(DeviceAddress)
    case staysInApplication
    case doesNotReturn
    case wrongVersion(Component, expected: String, actual: String?)
    case batteryLow(percent: Int, minimum: Int)
    /// The unit tells no percentage.
    case batteryUnknown
    case downgrade(from: String, to: String)
    case inBootloader
    case versionUnknown(String)
    case programFailed(PythonException)
    case programEnded
    case programSilent(seconds: Int64)
    /// The argument is the last line that it printed.
    case programPrints(String)
    case bitstreamVersionUnknown(String)
    /// A committed FPGA image was erased again, since the FPGA did not run as its version.
    case bitstreamWithdrawn(expected: String, actual: String?, builtIn: String?)
    /// Whether the firmware is older than the unit's cannot be told.
    case ageUnknown(unit: String?, ours: String)
    /// A bootloader at the unit's next address takes whole images and goes on advertising.
    case staysInBootloader(DeviceAddress, transfers: Int)
    /// Units of the family are not asked.
    case noConsole(FamilyID)
}

extension ProvisioningError: DiagnosableError {
    public var persistence: Persistence {
        switch self {
        case .unitNotFound, .staysInApplication, .doesNotReturn: .transient
        case .staysInBootloader(_, let transfers): transfers < TransferCounts.wholeLimit ? .transient : .permanent
        case .wrongVersion, .batteryLow, .batteryUnknown, .downgrade, .inBootloader, .versionUnknown, .programFailed, .programEnded,
            .programSilent, .programPrints, .bitstreamVersionUnknown, .bitstreamWithdrawn, .ageUnknown, .noConsole:
            .permanent
        }
    }

    public var diagnosis: Diagnosis {
        switch self {
        case .unitNotFound(let address):
            Diagnosis(
                code: "PRV-0001", category: .unavailable, fault: .radio, message: "no unit \(address) is in reach",
                cause: "it is off, asleep on a charger, out of range or connected to another host",
                remedy: "wake the unit, take it off the charger, close the phone app, and run the command again")
        case .staysInApplication:
            Diagnosis(
                code: "PRV-0002", category: .unitFailed, fault: .unit, message: "the unit did not go into its bootloader",
                cause: "its firmware ignored the request, or it lost power meanwhile",
                remedy: "power-cycle the unit and run the command again")
        case .doesNotReturn:
            Diagnosis(
                code: "PRV-0003", category: .unitFailed, fault: .unit, message: "the unit did not come back after its reset",
                cause: "units sleep right after an update when they are on a charger",
                remedy: "take the unit off the charger and run the command again; it continues where it stopped")
        case .wrongVersion(let component, let expected, let actual):
            Diagnosis(
                code: "PRV-0004", category: .unitFailed, fault: .unit,
                message: "the unit says \(component.rawValue) \(actual ?? "nothing") instead of \(expected)",
                cause: "the unit runs something else than what was written, or the given version is not the file's",
                remedy: "check the version given for the file; else run the command again with --force --only \(component.rawValue)")
        case .batteryLow(let percent, let minimum):
            Diagnosis(
                code: "PRV-0005", category: .unitFailed, fault: .unit,
                message: "the battery is at \(percent) %, below the minimum of \(minimum) %",
                cause: "an update that loses power leaves a unit that only a new update wakes",
                remedy: "charge the unit, or accept the risk with --min-battery")
        case .batteryUnknown:
            Diagnosis(
                code: "PRV-0018", category: .unitFailed, fault: .unit, message: "the unit does not tell its battery's charge",
                cause: "its firmware answers something else than a percentage",
                remedy: "charge the unit and accept the risk with --min-battery 0")
        case .downgrade(let from, let to):
            Diagnosis(
                code: "PRV-0006", category: .unitFailed, fault: nil,
                message: "the unit's firmware \(from) is newer than \(to)",
                cause: "the catalogue or the given package is older than the unit",
                remedy: "use a newer package, or insist with --allow-downgrade (the bootloader may still refuse)")
        case .inBootloader:
            Diagnosis(
                code: "PRV-0007", category: .unitFailed, fault: .unit, message: "the unit is in its bootloader",
                cause: "a firmware update was interrupted", remedy: "finish it with noafw flash and the same options")
        case .bitstreamVersionUnknown(let path):
            Diagnosis(
                code: "PRV-0009", category: .badData, fault: nil, message: "the version of \(path) is not known",
                cause: "an FPGA image does not tell its version, and the catalogue has no entry with its digest",
                remedy: "give the version that the unit shall show with --fpga-version, or add the file to the catalogue")
        case .bitstreamWithdrawn(let expected, let actual, let builtIn):
            Diagnosis(
                code: "PRV-0010", category: .unitFailed, fault: .unit,
                message: "the unit's FPGA \(actual.map { "says \($0)" } ?? "does not answer") instead of \(expected); the image was taken out"
                    + " again" + (builtIn.map { ", and the built-in \($0) runs" } ?? ", and the built-in one does not answer either"),
                cause: "the image is not one for this unit, the version given for it is not its own, or the FPGA is damaged",
                remedy: "check the file and its --fpga-version, then run the same command again; replace the unit if a released image fails")
        case .ageUnknown(let unit, let ours):
            Diagnosis(
                code: "PRV-0011", category: .unitFailed, fault: .unit,
                message: "the unit's firmware \(unit ?? "without a version") cannot be compared with \(ours)",
                cause: "versions have the form vYY.DDD.HHMM, such as v23.248.0754",
                remedy: "accept that the firmware may be older with --allow-downgrade (the bootloader may still refuse)")
        case .staysInBootloader(let address, let transfers):
            Diagnosis(
                code: "PRV-0012", category: .unitFailed, fault: .unit,
                message: "the bootloader at \(address.bootloader) took the whole firmware (\(transfers)×) and is still on the air",
                cause: "the unit does not start the image, or another device answers under its bootloader's address",
                remedy: "see noafw scan; move other devices in their bootloader away, power-cycle the unit and run the same command again")
        case .noConsole(let family):
            Diagnosis(
                code: "PRV-0028", category: .usage, fault: nil, message: "noafw does not talk to a running \(family)",
                cause: "units of this family are only found, and finished when they are stranded in their bootloaders",
                remedy: "see noafw scan and noafw rescue")
        case .programFailed(let exception):
            program("PRV-0040", "the unit's program fails: \(exception.lastLine)", cause: "its scripts raise what nothing catches")
        case .programEnded:
            program("PRV-0041", "the unit's program has ended", cause: "main.py comes to its end without an error; nothing runs on the unit any more")
        case .programSilent(let seconds):
            program("PRV-0042", "the unit's program does not say that it is ready within \(seconds) s", cause: "its scripts hang before they send rdy:, or wait for something that does not come")
        case .programPrints(let line):
            program("PRV-0043", "the unit's program keeps printing and never says that it is ready; last: \(line)", cause: "its scripts are in a loop, or print more than a program that is proved by a quiet console may")
        case .versionUnknown(let what):
            Diagnosis(
                code: "PRV-0008", category: .badData, fault: nil, message: "\(what) does not tell one version",
                cause: "no version text stands in the image, or several do",
                remedy: "add the file to the catalogue with its version")
        }
    }
}

extension ProvisioningError {
    private func program(_ code: String, _ message: String, cause: String) -> Diagnosis {
        Diagnosis(
            code: code, category: .unitFailed, fault: .unit, message: message, cause: cause,
            remedy: "see what they print with noafw chat -v --no-verify --assistant echo, correct them, and run noafw flash --only scripts")
    }
}

/// The diagnosis of any error.
public func diagnose(_ error: any Error) -> Diagnosis {
    if let known = error as? any DiagnosableError { return known.diagnosis }
    if error is CancellationError {
        return Diagnosis(
            code: "PRV-0130", category: .interrupted, fault: nil, message: "interrupted",
            cause: "the run was cancelled", remedy: "run the same command again; it continues where it stopped")
    }
    return Diagnosis(
        code: "PRV-9999", category: .inputOutput, fault: .station, message: "unexpected error: \(error)",
        cause: "a fault of this tool or of the machine", remedy: "run again with -v and report the output")
}
