import Download
import Bluetooth
import ESPImage
import KeyboardFamily
import Provisioning
import Support

@testable import noafw

extension Examples {
    static let download = CataloguedErrors([
        DownloadError.badAddress(reason: reason), .unreachable(host: "HOST", reason: reason), .insecure(host: "HOST", reason: reason),
        .proxyRefused(proxy: "HOST:PORT", reason: reason), .refused(address: "ADDRESS", status: 404),
        .redirected(address: "ADDRESS", reason: reason), .tooLong(address: "ADDRESS", limit: 8192),
        .digestDiffers(address: "ADDRESS", expected: "DIGEST", actual: "DIGEST"), .timedOut(host: "HOST", what: "TEXT"),
        .brokenOff(host: "HOST", byteCount: 8192), .badAuthorities(path: path), .notKept(path: path, reason: reason),
    ])

    static let espImage = CataloguedErrors([
        ESPImageError.notAnImage(firstByte: 0x7F), .tooLong(byteCount: 20_000_000), .cutShort(byteCount: 1000),
        .badSegment(number: 2, reason: reason), .wrongChecksum, .wrongDigest, .followed(byteCount: 32), .noDescriptor, .noDigest,
        .wrongChip(ESPChip(rawValue: 5), wanted: .esp32s3), .wrongProject("NAME", wanted: "IOS-Keyboard"),
        .tooLargeForSlot(byteCount: 1_600_000, slot: 1_572_864),
    ])

    static let bareFirmware = CataloguedErrors([
        BareFirmwareError.noFile("keyboard"), .noKey(path: path), .missing(path: path), .notTrusted(path: path, keys: ["KEY"]),
    ])

    static let overTheAir = CataloguedErrors([
        OTAError.badURL("TEXT"), .noKeyboard(address), .noAnswer(url: "URL", reason: reason),
        .notUnderstood(path: "/status", reason: reason),
        .otherAddress(answers: "ADDRESS", says: "ADDRESS"), .otherUnit(url: "URL"), .versionUnclear, .sameVersion("2.10.0"),
        .notServed(reason: reason), .notTaken(reason: reason), .occupied, .notFetched(url: "URL"), .cut(percent: 40), .stalled(percent: 40),
        .refusedByUnit, .doesNotRestart, .doesNotReturn(url: "URL"), .notOnAir, .rolledBack(to: "2.10.0", from: "2.11.0"),
    ])
}
