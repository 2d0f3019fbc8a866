import Bluetooth
import Support

/// What can go wrong between a package file and a verified transfer; links fail with ``LinkError``.
public enum DFUError: Error, Hashable, Sendable {
    /// Found before a unit is touched.
    case package(PackageFault)
    /// A file that a package is to be made of.
    case firmwareFile(name: String, FirmwareFileFault)
    /// The bootloader answered a request with an error.
    case refused(ControlPointOperation, Refusal)
    /// The conversation with the bootloader failed.
    case transfer(TransferFault)
}

extension DFUError: DiagnosableError {
    public var obstacle: Obstacle? {
        switch self {
        case .transfer: .link
        // The image was damaged on its way: the bootloader has discarded it, and takes it again.
        case .refused(_, .extended(.verificationFailed)): .link
        // One wrong bit makes it of a success, or of a request.
        case .refused(_, .result), .refused(_, .unknownResult): .link
        case .package, .firmwareFile, .refused: nil
        }
    }

    /// What happened, the likely cause and the next action, with a stable code.
    public var diagnosis: Diagnosis {
        switch self {
        case .package(let fault): fault.diagnosis
        case .firmwareFile(let name, let fault): fault.diagnosis(of: name)
        case .refused(let operation, let refusal): refusal.diagnosis(of: operation)
        case .transfer(let fault): fault.diagnosis
        }
    }
}
