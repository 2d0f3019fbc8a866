import FPGA
import Support

@testable import DFU

extension Examples {
    static let fpga = CataloguedErrors([
        FPGAError.imageTooLong(byteCount: 500_000), .imageEmpty, .verificationFailed(pages: [3, 4]), .writeFailed(reason),
        .commitFailed(marker: "BYTES"), .notABitstream(reason: reason), .markerStays,
    ])

    static let package = CataloguedErrors(
        [
            PackageFault.fileTooLarge(byteCount: 9000, limit: 8192),
            .notAnArchive(reason: reason), .tooManyEntries(count: 90, limit: 64), .unsafeEntryName("NAME"), .duplicateEntry("NAME"),
            .entryTooLarge(name: "NAME", byteCount: 9000, limit: 8192), .entryDamaged(name: "NAME", reason: reason),
            .manifestInvalid(reason: reason), .entryMissing(name: "NAME"), .kindsNotAccepted([.softDevice], target: "FAMILY"),
            .initPacketInvalid(reason: reason), .initPacketTooLarge(byteCount: 600, limit: 512),
            .imageSizeDiffers(expected: 9000, actual: 8192),
            .hashDiffers, .otherProduct(wants: "SoftDevice 0x0123", has: "0x0124"),
            .imageTooLarge(byteCount: 9000, capacity: 8192), .unsigned, .signatureTypeUnsupported(type: "TYPE"),
            .signatureNotTrusted(keys: ["KEY"]), .bootValidationNotTrusted(key: "KEY"), .keyInvalid(name: "KEY", reason: reason),
            .signingFailed(reason: reason), .archiveNotWritten(reason: reason),
        ], diagnosis: \.diagnosis)

    static let firmwareFile = CataloguedErrors(
        [
            FirmwareFileFault.notARecord(line: 7), .damaged(line: 7, reason: reason), .overlap(line: 7, earlierLine: 3, address: 0x27000),
            .elsewhere(line: 7, address: 0x2000_0000),
            .spanTooLarge(line: 7, otherLine: 3, byteCount: 9_000_000, limit: 1_048_576), .endMissing(line: 7), .contentAfterEnd(line: 7),
            .empty,
            .tooLarge(byteCount: 9_000_000, limit: 1_048_576),
        ], diagnosis: { $0.diagnosis(of: "FILE") })

    static let transfer = CataloguedErrors(
        [
            TransferFault.malformedAnswer(bytes: [0x60, 0x01]), .objectLost(.data, offset: 4096, attempts: 8), .noAnswer(.select),
            .linkLost(offset: 8192, of: 100_000, kept: 4096), .payloadTooSmall(12), .objectLimitTooSmall(.command, limit: 64), .foreignData,
        ], diagnosis: \.diagnosis)

    /// A number that the bootloader's own sources do not have stands for all of them.
    static let refusal = CataloguedErrors(
        [RefusedRequest(operation: .create, refusal: .result(.invalidObject))]
            + Refusal.ResultCode.allCases.map { RefusedRequest(operation: .execute, refusal: .result($0)) }
            + Refusal.ExtendedError.allCases.map { RefusedRequest(operation: .execute, refusal: .extended($0)) }
            + [Refusal.unknownResult(0xFF), .unknownExtended(0xFF)].map { RefusedRequest(operation: .execute, refusal: $0) },
        diagnosis: { $0.refusal.diagnosis(of: $0.operation) })

    struct RefusedRequest {
        let operation: ControlPointOperation
        let refusal: Refusal
    }
}
