import FrameFamily
import MonocleFamily
import Support

@testable import Provisioning
@testable import ScriptBundle
@testable import VirtualDevices

extension Examples {
    private static let unit = DiscoveredUnit(family: "FAMILY", mode: .application, advertisedAddress: address, name: "NAME", rssi: -80)

    static let script = CataloguedErrors([
        ScriptError.folderUnreadable("FOLDER", reason: reason), .fileUnreadable("FILE", reason: reason), .fileMissing("FILE"),
        .nameUnsafe("NAME", suffix: ".py"), .duplicateName("NAME"), .mainMissing("main.py", place: "PLACE"),
        .mainNotLast("main.py", place: "PLACE"), .familyAmbiguous("FOLDER", [.monocle, .frame]), .tooManyFiles(90, limit: 64),
        .fileTooLong("FILE", byteCount: 9000, limit: 8192), .setTooLong(byteCount: 9000, limit: 8192), .noSpace(needed: 9000, free: 8192),
        .verificationFailed("FILE"), .uploadFailed("FILE"), .shadowed(["NAME"]),
    ])

    static let unitFile = CataloguedErrors([
        UnitFileError.missing("NAME"), .isFolder("NAME"), .isFile("NAME"), .notEmpty("NAME"), .noSpace("NAME", byteCount: 9000),
        .refused("NAME", reason: reason), .damaged("NAME"), .tooLong("NAME", byteCount: 9000, limit: 8192), .nameUnsafe("NAME"),
        .tooMany("FOLDER", limit: 4096),
    ])

    static let bundle = CataloguedErrors(
        [
            BundleError.manifestInvalid(reason: reason), .isPackage(place: path), .isBundle(place: path),
            .entryUnlisted("NAME", place: path),
            .digestDiffers(file: "FILE", place: path, expected: "DIGEST", actual: "DIGEST"),
            .versionDiffers(place: path, expected: "VERSION", actual: "VERSION"),
            .wrongFamily(place: path, bundle: "frame", wanted: "FAMILY"),
            .componentsMissing(["TITLE"], place: path), .fpgaInFirmware(family: "frame"), .unsigned(place: path),
            .signerNotTrusted(place: path, signer: "FINGERPRINT", trusted: ["FINGERPRINT"]), .signatureInvalid(place: path),
            .keyInvalid(name: "KEY", reason: reason), .signingFailed, .noBundleKey(names: ["KEY"]),
            .statementInvalid(place: path, reason: reason), .statementNotTrusted(place: path), .noTrust(place: path),
            .checkerMissing(.mpyCross), .syntax(SyntaxMistake(file: "FILE", line: 7, says: "TEXT")),
            .checkFailed(file: "FILE", reason: reason),
        ], wrappers: ["archive", "scripts"])

    static let unitName = CataloguedErrors([
        UnitNameError.notAName(reason: reason), .taken("NAME", by: address), .tooMany(limit: 5000),
    ])

    static let provisioning = CataloguedErrors([
        ProvisioningError.unitNotFound(address), .unitGone(address), .staysInApplication, .doesNotReturn,
        .wrongVersion(.firmware, expected: "VERSION", actual: "VERSION"), .oldFirmware("VERSION"),
        .batteryLow(percent: 20, minimum: 40), .batteryUnknown,
        .downgrade(from: "VERSION", to: "VERSION"), .inBootloader, .versionUnknown("FILE"), .programFailed("ERROR"), .programEnded,
        .programEndsLink("REASON"),
        .programSilent(seconds: 10), .programPrints("TEXT"), .programChanges(["NAME is missing"]), .bitstreamVersionUnknown("FILE"),
        .bitstreamWithdrawn(expected: "VERSION", actual: "VERSION", builtIn: "VERSION"), .ageUnknown(unit: "VERSION", ours: "VERSION"),
        .staysInBootloader(address, transfers: 2), .noConsole("FAMILY"), .restartsWhenInterrupted("REASON"), .notPermitted, .nothingWanted,
        .noPhoto(reason: "REASON"), .photoDamaged(byteCount: 100),
    ])

    static let frame = CataloguedErrors([
        FrameError.halo(isBonded: false), .halo(isBonded: true), .folderInPlace("NAME"),
        .zeroByte("NAME"), .functionReplaced("frame.file.open"), .noRestart,
    ])

    static let selection = CataloguedErrors([
        UnitSelectionError.none, .several([unit, unit]), .noneNear([unit]), .noneWithName("NAME", inReach: [unit]),
        .noneAtAddress(address, inReach: [unit]), .otherFamily(unit), .unknownBootloader(unit), .impostor(unit),
    ])

    static let catalogue = CataloguedErrors([
        CatalogueError.rootNotFound(searched: ["FOLDER"]), .manifestMissing(path: path), .manifestInvalid(path: path, reason: reason),
        .nothingFor(hardware: "HARDWARE", manifest: path), .defaultMissing(version: "VERSION", manifest: path),
        .unsafeName("NAME", manifest: path), .fileMissing(path: path), .unreadable(path: path, reason: reason),
        .tooLarge(path: path, limitBytes: 8192), .digestDiffers(path: path, expected: "DIGEST", actual: "DIGEST"),
        .digestNotStated(file: "FILE", stated: "DIGEST", actual: "DIGEST"), .versionInvalid("VERSION"), .versionUnknown(file: "FILE"),
        .versionDiffers(file: "FILE", image: "VERSION", stated: "VERSION"), .versionTaken(version: "VERSION", manifest: path),
        .fileTaken(path: path), .hardwareUnknown("HARDWARE"), .notWritten(path: path, reason: reason), .locked(folder: "FOLDER"),
    ])

    static let stateFile = CataloguedErrors([
        StateFileError.unreadable(path: path, reason: reason), .unwritable(path: path, reason: reason), .locked(path: path),
    ])

    static let unitFolder = CataloguedErrors([
        UnitFolderError.unreadable(path: path, reason: reason), .unwritable(path: path, reason: reason),
        .interpreterDoesNotStart(language: "LANGUAGE", path: path, setting: "VARIABLE"),
        .resourceMissing(name: "NAME", searched: ["FOLDER"]), .unusable(what: "FILE", reason: reason),
        .firmwareNotPlayed(version: "VERSION", played: ["VERSION", "VERSION"], path: "FOLDER"),
    ])
}
