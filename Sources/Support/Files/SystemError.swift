import Glibc

/// The system's words for a failed call.
public enum SystemError {
    /// Of the last call of this thread.
    public static var last: String { text(errno) }

    public static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}
