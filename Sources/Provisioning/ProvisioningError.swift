import Bluetooth
import REPL
import Support

/// What stops one unit's run, beside the errors of the parts.
public enum ProvisioningError: Error, Sendable, Hashable {
    case unitNotFound(DeviceAddress)
    /// There was a link to it before.
    case unitGone(DeviceAddress)
    case staysInApplication
    case doesNotReturn
    case wrongVersion(Component, expected: String, actual: String?)
    /// Though its bootloader took the whole image, for the first time.
    case oldFirmware(String?)
    case batteryLow(percent: Int, minimum: Int)
    /// The unit tells no percentage.
    case batteryUnknown
    case downgrade(from: String, to: String)
    case inBootloader
    case versionUnknown(String)
    /// The argument is the error; printable.
    case programFailed(String)
    case programEnded
    /// The link has ended while the program was heard: the radio's fault once, the program's if it stays so.
    case programEndsLink(String)
    case programSilent(seconds: Int64)
    /// The argument is the last line that it printed.
    case programPrints(String)
    /// What differs from the installed scripts once the program has run; printable.
    case programChanges([String])
    case bitstreamVersionUnknown(String)
    /// A committed FPGA image was erased again, since the FPGA did not run as its version.
    case bitstreamWithdrawn(expected: String, actual: String?, builtIn: String?)
    /// Whether the firmware is older than the unit's cannot be told.
    case ageUnknown(unit: String?, ours: String)
    /// A bootloader at the unit's next address takes whole images and goes on advertising.
    case staysInBootloader(DeviceAddress, transfers: Int)
    /// The link is lost each time when a host interrupts the unit's program; the argument says how.
    case restartsWhenInterrupted(String)
    /// Nobody has allowed it to erase files that are on the unit.
    case notPermitted
    /// Units of the family are not asked.
    case noConsole(FamilyID, instead: String? = nil)
    /// No part of the unit was to be written or looked at.
    case nothingWanted
    /// The argument is the unit's error, or what did not happen; printable.
    case noPhoto(reason: String)
    /// What came is no whole JPEG.
    case photoDamaged(byteCount: Int)
}

extension ProvisioningError: DiagnosableError {
    public var obstacle: Obstacle? {
        switch self {
        case .restartsWhenInterrupted: .restart
        case .unitNotFound: .absence
        case .unitGone, .staysInApplication, .doesNotReturn, .oldFirmware, .programEndsLink: .link
        case .staysInBootloader(_, let transfers): transfers < TransferCounts.wholeLimit ? .link : nil
        case .wrongVersion, .batteryLow, .batteryUnknown, .downgrade, .inBootloader, .versionUnknown, .programFailed, .programEnded,
            .programSilent, .programPrints, .programChanges, .bitstreamVersionUnknown, .bitstreamWithdrawn, .ageUnknown, .noConsole,
            .nothingWanted, .notPermitted, .noPhoto, .photoDamaged:
            nil
        }
    }

    public var diagnosis: Diagnosis {
        switch self {
        case .unitNotFound(let address):
            Diagnosis(
                "PRV-0001", .unavailable, .radio, "no unit \(address) is in reach",
                cause: "it was heard before, and fell asleep since, was taken away, or another host connected to it",
                remedy: "wake the unit, close the phone app, and run the command again at once")
        case .unitGone(let address):
            Diagnosis(
                "PRV-0034", .unavailable, .radio, "the unit \(address) was there, ended its link, and is not in reach any more",
                cause: "its program has put it to sleep, as some do that have heard nothing for a while; or it was taken away",
                remedy: "wake the unit (tap it, or take it out of its cradle), and run the command again at once")
        case .staysInApplication:
            Diagnosis(
                "PRV-0002", .unitFailed, .unit, "the unit did not go into its bootloader",
                cause: "its firmware ignored the request, or it lost power meanwhile",
                remedy: "power-cycle the unit and run the command again")
        case .doesNotReturn:
            Diagnosis(
                "PRV-0003", .unitFailed, .unit, "the unit did not come back after its reset",
                cause: "a unit on a charger sleeps right after an update",
                remedy: "take the unit off the charger and run the command again; it continues where it stopped")
        case .wrongVersion(let component, let expected, let actual):
            Diagnosis(
                "PRV-0004", .unitFailed, .unit,
                "the unit reports \(component.name) \(actual ?? "nothing") instead of \(expected)",
                cause: "the unit does not run what was written, or the given version is not the version of the file",
                remedy: "check the version given for the file; run the command again with --force --only \(component.name)")
        case .oldFirmware(let version):
            Diagnosis(
                "PRV-0046", .unavailable, .radio,
                "the unit reports its old firmware\(version.map { " \($0)" } ?? "") again, and its bootloader took the whole new one",
                cause: "it lost power or was reset while its bootloader put the new one in place",
                remedy: "charge the unit and run the same command again")
        case .batteryLow(let percent, let minimum):
            Diagnosis(
                "PRV-0005", .unitFailed, .unit,
                "the battery is at \(percent) %, below the minimum of \(minimum) %",
                cause: "a unit that loses power during an update stays unusable until the update is repeated",
                remedy: "charge the unit, or accept the risk with a lower --min-battery")
        case .batteryUnknown:
            Diagnosis(
                "PRV-0018", .unitFailed, .unit, "the unit does not report the charge of its battery",
                cause: "its firmware does not answer with a percentage",
                remedy: "charge the unit and accept the risk with --min-battery 0")
        case .downgrade(let from, let to):
            Diagnosis(
                "PRV-0006", .unitFailed, nil,
                "the unit's firmware \(from) is newer than \(to)",
                cause: "the catalogue or the given package is older than the unit",
                remedy: "use a newer package, or pass --allow-downgrade (the bootloader may still refuse)")
        case .inBootloader:
            Diagnosis(
                "PRV-0007", .unitFailed, .unit, "the unit is in its bootloader",
                cause: "a firmware update was interrupted", remedy: "finish it with noafw flash and the same options")
        case .bitstreamVersionUnknown(let path):
            Diagnosis(
                "PRV-0009", .badData, nil, "the version of \(path) is not known",
                cause: "an FPGA image does not state its version, and the catalogue has no entry with its digest",
                remedy: "give the version with --fpga-version, or add the file with noafw assets add")
        case .bitstreamWithdrawn(let expected, let actual, let builtIn):
            Diagnosis(
                "PRV-0010", .unitFailed, .unit,
                "the unit's FPGA \(actual.map { "reports \($0)" } ?? "does not answer") instead of \(expected); the image was taken out"
                    + " again" + (builtIn.map { ", and the built-in \($0) runs" } ?? ", and the built-in one does not answer either"),
                cause: "the image is not for this unit, the given version is not the version of the image, or the FPGA is damaged",
                remedy: "check the file and its --fpga-version, and run the same command again; replace the unit if a released image fails")
        case .ageUnknown(let unit, let ours):
            Diagnosis(
                "PRV-0011", .unitFailed, .unit,
                "the unit's firmware \(unit ?? "without a version") cannot be compared with \(ours)",
                cause: "versions have the form vYY.DDD.HHMM, such as v23.248.0754",
                remedy: "pass --allow-downgrade to accept an older firmware (the bootloader may still refuse)")
        case .staysInBootloader(let address, let transfers):
            Diagnosis(
                "PRV-0012", .unitFailed, .unit,
                "the bootloader at \(address.bootloader) took the whole firmware (\(transfers)×) and is still on the air",
                cause:
                    "the unit's program sends it back there at once, the unit does not start the image, or another device answers under its"
                    + " bootloader's address",
                remedy: LinkError.pairingReset
                    + ", and run the same command again; if it stays, see with noafw scan whether another device is in its bootloader "
                    + "near by"
            )
        case .restartsWhenInterrupted(let reason):
            Diagnosis(
                "PRV-0029", .unitFailed, .unit,
                "the unit ends its link whenever its program is interrupted (\(reason))",
                cause: "the program restarts the unit, or the firmware does so for what the program has made of it",
                remedy: REPLError.programRemedy)
        case .notPermitted:
            Diagnosis(
                "PRV-0019", .permission, nil, "the files on the unit were not given up; nothing was changed",
                cause: "the update would have erased files that are of no release, and the question was not answered with yes",
                remedy: "copy what is to be kept, and run the same command again, with --yes to be asked nothing")
        case .noConsole(let family, let instead):
            Diagnosis(
                "PRV-0028", .usage, nil,
                instead == nil ? "noafw does not talk to a running \(family)" : "noafw does not write the firmware of \(family) here",
                cause: instead == nil
                    ? "noafw only finds units of this family, and finishes an interrupted firmware update"
                    : "its firmware is not written over Bluetooth",
                remedy: instead ?? "use noafw scan or noafw rescue")
        case .noPhoto(let reason):
            Diagnosis(
                "PRV-0060", .unitFailed, .unit, "the unit's camera gave no photo: \(reason)",
                cause: "the unit has no camera, its camera sleeps or is covered by other use, or its firmware takes no such photo",
                remedy: "restart the unit and take the photo again, without options first")
        case .photoDamaged(let byteCount):
            Diagnosis(
                "PRV-0061", .unitFailed, .unit, "the photo is no whole JPEG: \(byteCount) bytes came",
                cause: "pieces were lost on a bad link, or the camera stopped in the middle",
                remedy: "bring the unit nearer, and take the photo again")
        case .nothingWanted:
            Diagnosis(
                "PRV-0033", .usage, nil, "no part of the unit was to be written or verified",
                cause: "the unit has none of the parts that were asked for",
                remedy: "name a part that the unit has with --only, or leave --only out")
        case .programFailed(let error):
            program("PRV-0040", "the unit's program fails: \(error)", cause: "its scripts raise an error and do not catch it")
        case .programEnded:
            program(
                "PRV-0041", "the unit's program has ended",
                cause: "its main script ends, and no error was heard; nothing runs on the unit any more")
        case .programEndsLink(let reason):
            program(
                "PRV-0045", "the link ends each time the unit's program has started (\(reason))",
                cause: "its scripts restart the unit or switch its radio off, or the unit is too far away")
        case .programSilent(let seconds):
            program(
                "PRV-0042", "the unit's program does not say that it is ready within \(seconds) s",
                cause: "its scripts hang before they say so, or wait for something that does not come")
        case .programPrints(let line):
            program(
                "PRV-0043", "the unit's program keeps printing and never says that it is ready; last: \(line)",
                cause: "its scripts are in a loop, or print too much: a quiet console is the sign of a ready program")
        case .programChanges(let differences):
            program(
                "PRV-0044", "the unit's program changes what was installed: \(differences.prefix(8).joined(separator: ", "))",
                cause: "its scripts write, rename or remove files of their own set when they start")
        case .versionUnknown(let what):
            Diagnosis(
                "PRV-0008", .badData, nil, "\(what) does not state one version",
                cause: "the image holds no version text, or more than one",
                remedy: "add the file with noafw assets add --version")
        }
    }
}

extension ProvisioningError {
    private func program(_ code: String, _ message: String, cause: String) -> Diagnosis {
        Diagnosis(
            code, .unitFailed, .unit, message, cause: cause,
            remedy:
                "see what the scripts print with noafw chat -v --no-verify --assistant echo; correct them, and flash them with noafw "
                    + "flash --only scripts --scripts FOLDER"
        )
    }
}

extension ProvisioningError {
    /// A link that is lost in the course of `body` is the program's doing, more likely than the radio's.
    /// - Throws: `fault` with the reason, for a lost link.
    public static func blaming<Value>(_ fault: (String) -> ProvisioningError, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch LinkError.disconnected(let reason) {
            throw fault(reason)
        }
    }
}
