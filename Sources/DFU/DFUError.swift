import Bluetooth

/// Everything that can go wrong between a package file and a proved transfer; links fail with ``LinkError``.
public enum DFUError: Error, Hashable, Sendable {
    /// The package, a key or what is in them: found before a unit is touched.
    case package(PackageFault)
    /// The bootloader answered a request with an error.
    case refused(ControlPointOperation, Refusal)
    /// The conversation with the bootloader failed.
    case transfer(TransferFault)
}

extension DFUError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .package(let fault): fault.diagnosis
        case .refused(let operation, let refusal): refusal.diagnosis(of: operation)
        case .transfer(let fault): fault.diagnosis
        }
    }
}
