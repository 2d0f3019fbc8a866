import Foundation
import Glibc

/// The system's error numbers in words.
public enum SystemError {
    /// For this thread's last call.
    public static var last: String { text(errno) }

    /// For a number as `errno` has it.
    public static func text(_ number: Int32) -> String { String(cString: strerror(number)) }

    /// Why something failed, as part of a sentence: Foundation's own words are a domain and a number.
    public static func text(_ error: any Error) -> String {
        switch error {
        case let failure as FileWriter.Failure: return failure.reason
        case let failure as FileReader.Failure: return failure.reason
        case let known as any DiagnosableError: return known.diagnosis.message
        case let system as POSIXError: return text(system.code.rawValue)
        case is DecodingError, is EncodingError: return "it does not hold what it should"
        default: break
        }
        let object = error as NSError
        if let cause = object.userInfo[NSUnderlyingErrorKey] as? any Error { return text(cause) }
        if object.domain == NSPOSIXErrorDomain { return text(Int32(clamping: object.code)) }
        let other = "the system refuses it (error \(object.code))"
        guard object.domain == NSCocoaErrorDomain else {
            let words = "\(error)"
            return words.hasPrefix("Error Domain=") ? other : words
        }
        return switch CocoaError.Code(rawValue: object.code) {
        case .fileNoSuchFile, .fileReadNoSuchFile: text(ENOENT)
        case .fileReadNoPermission, .fileWriteNoPermission: text(EACCES)
        case .fileWriteOutOfSpace: text(ENOSPC)
        case .fileWriteFileExists: text(EEXIST)
        case .fileWriteVolumeReadOnly: text(EROFS)
        default: other
        }
    }
}
