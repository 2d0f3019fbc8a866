import Glibc

#if NOAFW_ONE_FILE
import FoundationEssentials
#else
import Foundation
#endif

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
        return foundationText(error) ?? "\(error)"
    }

    #if NOAFW_ONE_FILE
    private static func foundationText(_ error: any Error) -> String? {
        guard let error = error as? CocoaError else { return nil }
        return (error.userInfo["NSUnderlyingError"] as? any Error).map(text) ?? text(error.code)
    }
    #else
    private static func foundationText(_ error: any Error) -> String? {
        let object = error as NSError
        if let cause = object.userInfo[NSUnderlyingErrorKey] as? any Error { return text(cause) }
        return switch object.domain {
        case NSPOSIXErrorDomain: text(Int32(clamping: object.code))
        case NSCocoaErrorDomain: text(CocoaError.Code(rawValue: object.code))
        default: "\(error)".hasPrefix("Error Domain=") ? refused(object.code) : nil
        }
    }
    #endif

    private static func refused(_ code: Int) -> String { "the system refuses it (error \(code))" }

    private static func text(_ code: CocoaError.Code) -> String {
        switch code {
        case .fileNoSuchFile, .fileReadNoSuchFile: text(ENOENT)
        case .fileReadNoPermission, .fileWriteNoPermission: text(EACCES)
        case .fileWriteOutOfSpace: text(ENOSPC)
        case .fileWriteFileExists: text(EEXIST)
        case .fileWriteVolumeReadOnly: text(EROFS)
        default: refused(code.rawValue)
        }
    }
}
