import Glibc

/// Tells a program from a folder, which may be executable, too.
enum ProgramFile {
    static func isThere(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
