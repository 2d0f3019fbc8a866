import Archive
import Assistant
import Bluetooth
import Support

@testable import BlueZ
@testable import REPL

extension Examples {
    static let address = DeviceAddress(octets: [0xC0, 0, 0, 0, 0, 0x10])!
    static let attribute = AttributeID("6E400002-B5A3-F393-E0A9-E50E24DCCA9E")
    static let exception = PythonException(standardError: Array("ERROR: TEXT".utf8))

    struct Unexplained: Error, CustomStringConvertible {
        var description: String { "ERROR" }
    }

    static let support = CataloguedErrors(
        "diagnose(_:)", [("cancelled", diagnose(CancellationError())), ("unexpected", diagnose(Unexplained()))])
    static let inbox = CataloguedErrors([InboxOverrun()])

    static let archive = CataloguedErrors([
        ArchiveError.notAnArchive(reason: reason), .tooManyEntries(count: 5000, limit: 4096), .unsafeName("NAME"), .duplicateEntry("NAME"),
        .entryMissing(name: "NAME"), .entryTooLarge(name: "NAME", byteCount: 9000, limit: 8192),
        .contentTooLarge(byteCount: 9000, limit: 8192), .entryDamaged(name: "NAME", reason: reason), .notCanonical(name: "NAME"),
        .notWritten(reason: reason)
    ])

    static let link = CataloguedErrors([
        LinkError.disconnected(reason), .connectFailed(address, reason: reason), .timedOut("ANSWER"), .characteristicMissing(attribute),
        .refused(attribute, attributeError: 0xFD), .refused(attribute, attributeError: 0x05), .notAllowed(attribute, .write),
        .acquired(attribute, .write),
        .valueTooLong(count: 300, limit: 244), .overrun, .busy("PROCESS"), .unavailable(reason),
        .pairingRefused(address, reason: reason), .bondLost(address, reason: reason), .adapterFull(reason),
    ])

    static let blueZ = CataloguedErrors([
        BlueZError.busUnreachable(reason), .busRefusesUser(reason), .accessDenied(reason), .busOverloaded(reason), .busLost,
        .daemonNotRunning(reason), .daemonSilent, .daemonStopped, .daemonTooOld(method: "METHOD"), .unintelligible("ANSWER"),
        .noAdapter("ADAPTER"), .adapterOff("ADAPTER"), .adapterSoftBlocked("ADAPTER"), .adapterHardBlocked("ADAPTER"), .notReady,
        .inProgress,
        .linkLimit, .adaptersShareAddress("ADAPTER, ADAPTER"), .adapterNotShown("ADAPTER"), .radioHangs("ADAPTER"), .abortedByLocal,
        .abortedByRemote, .canceled, .attemptTimedOut, .attemptRefused, .attemptFailed(reason), .controllerBusy(reason), .alreadyConnected,
        .notConnected, .linkProtocolError, .pairingFailed, .pairingBrokeOff(reason), .agentMissing, .adapterNotPairable(reason),
        .notPermitted(reason), .notAuthorized, .notSupported, .notAvailable, .doesNotExist, .alreadyExists, .failed(reason),
    ])

    static let repl = CataloguedErrors([
        REPLError.noPrompt, .exception(exception), .garbage("ANSWER"), .outputOverflow(limit: 8192), .forbiddenByte(0x03, offset: 10),
        .timedOut("ANSWER"), .unreadable("ANSWER"), .lacking("MODULE"), .lua(LuaException("ERROR".utf8)), .programDoesNotStop,
        .programInTheWay("ERROR"),
        .payloadTooSmall(20, least: 97), .codeTooLong(byteCount: 20_000, limit: 16_384),
    ])

    static let assistant = CataloguedErrors([
        AssistantError.badConfiguration(path: path, reason), .notPrivate(path: path, reason), .badBaseURL("URL"), .plainHTTP(host: "HOST"),
        .badKey, .unreachable(host: "HOST", reason: reason), .unknownHost("HOST"), .insecure(host: "HOST", reason: reason),
        .timedOut("ANSWER"),
        .unauthorized(status: 401, "TEXT"), .tooManyRequests("TEXT", retryAfter: nil), .serverFailed(status: 500, "TEXT"),
        .refused(status: 400, "TEXT"), .redirected(to: "URL"), .notUnderstood(reason), .tooLong(what: "ANSWER", limitBytes: 8192),
        .emptyAnswer,
        .brokenOff(afterBytes: 100), .proxyRefused(proxy: "PROXY", reason),
    ])
}
