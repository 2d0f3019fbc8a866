import Assistant
import Provisioning
import Support

@testable import noafw

extension Examples {
    static let kept = CataloguedErrors([
        KeptFilesError.notKept(path: path, reason: reason), .damaged(path: path),
        .notSettled(path: path, reason: reason), .none(unit: "ADDRESS"),
        .noSuchTime("TIME", has: ["TIME"]), .otherFamily("FAMILY", kept: "FAMILY"),
    ])

    static let command = CataloguedErrors([
        CommandError.noStateFolder, .noCacheFolder, .timedOut(seconds: 60), .interrupted(condition: "STATE", nextAction: "run: COMMAND"),
        .developmentImage("IMAGE"), .outputExists(path: path), .outputNotWritten(path: path, reason: reason), .outputIsInput(path: path),
        .outputInFolder(path: path, folder: "FOLDER"), .outputIsOwn(path: path), .outputHoldsKey(path: path),
        .privateKeyTrusted(path: path), .keyExposed(path: path),
        .tooFewDescriptors(needed: 64), .tooFewThreads(needed: 8), .noKey, .noRealTime,
        .differs(parts: [.scripts], advice: "run: noafw flash --only scripts"), .chatInterrupted, .questionTooLong,
        .unitStaysAway(seconds: 60, returns: 0, reason: reason), .unitStaysAway(seconds: 60, returns: 3, reason: reason),
        .statementTooLong(limit: 8192), .consoleInterrupted, .programIsSilent, .resultNotWritten, .usage("TEXT"),
        .noTrustFolder(path: path),
        .noPython(reason), .virtualUnitNotOpened(folder: "FOLDER", reason: reason),
        .sameVirtualUnit(address, folders: ["FOLDER", "FOLDER"]), .badEntries(count: 2), .noEntries(root: "FOLDER"),
        .bundleDiffers(folder: "FOLDER", file: "FILE", count: 2), .unsupported("chat", family: "frame"),
        .screenUnreadable, .photoWithoutPlace,
        .noSuchPart([.fpga], family: "frame", has: [.firmware, .scripts]), .sameAdapter("hci0", "ADDRESS"),
        .likeAnAddress("TEXT", meant: "ADDRESS"), .likeAName("TEXT", name: "NAME"), .noSuchUnit("TEXT"),
        .noSuchCode("TEXT", nearest: "CODE"), .badScripts(folder: "FOLDER", count: 2), .noSigningKey(place: "PLACE"), .outputIsTerminal,
        .unknownBuild("--source"),
    ])

    static let inputFile = CataloguedErrors(
        "InputFile",
        [
            ("tooLarge", input(.tooLarge(byteCount: 9000, limit: 8192))), ("unreadable", input(.missing)), ("unreadable", input(.noFile)),
            ("notReadable", input(.notReadable)),
        ])

    private static func input(_ kind: FileReader.Failure.Kind) -> Diagnosis {
        InputFile.diagnosis(of: FileReader.Failure(kind, reason), path)
    }

    static let privateFile = CataloguedErrors([PrivateFile.Failure("open", path, reason)])
    static let bond = CataloguedErrors([BondError.noBonds("FAMILY"), .notNamed([]), .notNamed([address, address]), .interrupted])
    static let deviceList = CataloguedErrors([
        DeviceListError.notText(path: path, line: 7), .badName(path: path, line: 7), .duplicate(path: path, unit: "UNIT", lines: [3, 7]),
        .tooMany(path: path, limit: 10_000), .empty(path: path), .nameAtLine(path: path, unit: "UNIT"),
    ])
    static let comparison = CataloguedErrors([
        ComparisonError.noBaseline(path: path, reason: reason), .badAllowance(path: path, line: 7, reason: reason),
        .gone(unit: "UNIT", baseline: path), .notInBaseline(unit: "UNIT", baseline: path),
    ])
    static let serial = CataloguedErrors([
        SerialRefusal.empty, .tooLong, .notText, .otherForm("SERIAL"), .previous("SERIAL"), .bound("SERIAL", address: "ADDRESS"), .busy,
    ])
    static let pictureInput = CataloguedErrors([PictureInput.Unreadable(name: path, reason: reason)])
    static let soak = CataloguedErrors(
        "SoakResult", [SoakResult(planned: 9, sent: 9, delivered: 8, answered: 9).failure].compactMap { $0 }.map { ("failure", $0) })
    static let chatScript = CataloguedErrors([ChatScript.Fault(path: path, line: 7, reason: reason)])

    static let chat = CataloguedErrors(
        "ChatFailure",
        [
            ("cancelled", ChatFailure.cancelled(.byUser)), ("noPictures", ChatFailure.noPictures),
            ("undeliverable", ChatFailure.undeliverable(.noReceipt)),
            ("undeliverable", ChatFailure.undeliverable(.linksLost(count: 3, reason: reason))),
            ("notSeen", ChatFailure.notSeen(line: 7, pattern: "PATTERN", seconds: 10, seen: ["TEXT"])),
        ]
            + [ChatFailure.ofProgram(.raised(ProgramFault(exception))), ChatFailure.ofProgram(.programEnded)].compactMap { $0 }.map {
                ("\($0.code)", $0)
            })
}
