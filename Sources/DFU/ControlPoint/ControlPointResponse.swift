/// What a bootloader has received of an object kind so far.
public struct Checksum: Sendable, Hashable {
    /// In bytes; of data it runs over the whole image, and includes what was received but not executed.
    public let offset: UInt32
    /// CRC-32 of the first `offset` bytes.
    public let crc: UInt32

    public init(offset: UInt32, crc: UInt32) {
        self.offset = offset
        self.crc = crc
    }
}

/// A notification of the control point: `60 op result [payload]`.
public struct ControlPointResponse: Sendable, Hashable {
    public enum Outcome: Sendable, Hashable {
        case done
        /// The answer to GET CRC, and the unasked receipt.
        case checksum(Checksum)
        /// The answer to SELECT; the largest object in bytes.
        case selected(objectLimit: UInt32, Checksum)
        case refused(Refusal)
    }

    public let operation: ControlPointOperation
    public let outcome: Outcome

    public init(operation: ControlPointOperation, outcome: Outcome) {
        self.operation = operation
        self.outcome = outcome
    }

    private static let marker: UInt8 = 0x60
    private static let success: UInt8 = 0x01
    private static let extendedError: UInt8 = 0x0B

    /// - Throws: ``TransferFault/malformedAnswer(bytes:)``.
    public init(parsing bytes: [UInt8]) throws {
        guard bytes.count >= 3, bytes[0] == Self.marker, let operation = ControlPointOperation(rawValue: bytes[1]),
            let outcome = Self.outcome(of: operation, result: bytes[2], payload: bytes[3...])
        else { throw DFUError.transfer(.malformedAnswer(bytes: bytes)) }
        self.operation = operation
        self.outcome = outcome
    }

    private static func outcome(
        of operation: ControlPointOperation, result: UInt8, payload: ArraySlice<UInt8>
    ) -> Outcome? {
        guard result == success else {
            guard result == extendedError else { return payload.isEmpty ? .refused(Refusal(result: result)) : nil }
            guard payload.count == 1, let code = payload.first else { return nil }
            return .refused(Refusal(extended: code))
        }
        switch operation {
        case .select:
            guard payload.count == 12 else { return nil }
            return .selected(
                objectLimit: number(payload, 0), Checksum(offset: number(payload, 4), crc: number(payload, 8)))
        case .checksum:
            guard payload.count == 8 else { return nil }
            return .checksum(Checksum(offset: number(payload, 0), crc: number(payload, 4)))
        case .create, .setReceiptInterval, .execute, .abort:
            return payload.isEmpty ? .done : nil
        }
    }

    private static func number(_ payload: ArraySlice<UInt8>, _ offset: Int) -> UInt32 {
        payload.dropFirst(offset).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
