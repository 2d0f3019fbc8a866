/// What a bootloader has received of an object kind so far.
struct Checksum: Sendable, Hashable {
    /// In bytes; of data over the whole image, executed or not.
    let offset: UInt32
    /// CRC-32.
    let crc: UInt32
}

/// A notification of the control point: `60 op result [payload]`.
struct ControlPointResponse: Sendable, Hashable {
    enum Outcome: Sendable, Hashable {
        case done
        /// The answer to GET CRC, and the unasked receipt.
        case checksum(Checksum)
        /// The largest object in bytes.
        case selected(objectLimit: UInt32, Checksum)
        case refused(Refusal)
    }

    let operation: ControlPointOperation
    let outcome: Outcome
}

extension ControlPointResponse {
    init?(parsing bytes: [UInt8]) {
        guard bytes.count >= 3, bytes[0] == 0x60, let operation = ControlPointOperation(rawValue: bytes[1]),
            let outcome = Self.outcome(of: operation, result: bytes[2], payload: bytes[3...])
        else { return nil }
        (self.operation, self.outcome) = (operation, outcome)
    }

    private static func outcome(of operation: ControlPointOperation, result: UInt8, payload: ArraySlice<UInt8>) -> Outcome? {
        switch (result, operation, payload.count) {
        case (0x0B, _, 1): payload.first.map { .refused(Refusal(extended: $0)) }
        case (0x01, .select, 12): .selected(objectLimit: number(payload), checksum(payload.dropFirst(4)))
        case (0x01, .checksum, 8): .checksum(checksum(payload))
        case (0x01, .select, _), (0x01, .checksum, _), (0x0B, _, _): nil
        case (0x01, _, 0): .done
        case (_, _, 0): .refused(Refusal(result: result))
        default: nil
        }
    }

    private static func checksum(_ payload: ArraySlice<UInt8>) -> Checksum {
        Checksum(offset: number(payload), crc: number(payload.dropFirst(4)))
    }

    private static func number(_ payload: ArraySlice<UInt8>) -> UInt32 {
        payload.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
