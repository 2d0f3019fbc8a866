import Bluetooth
import Foundation

/// Reads a file named on the command line, within bounds.
enum InputFile {
    struct Failure: DiagnosableError {
        let diagnosis: Diagnosis
    }

    /// - Throws: ``Failure`` with exit 66 when the file cannot be read, 65 when it is larger than `limit` bytes.
    static func read(_ path: String, limit: Int) throws -> [UInt8] {
        // A pipe without a writer would block the process.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        let isFile = descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard isFile else {
            let reason = descriptor < 0 ? String(cString: strerror(errno)) : "it is no regular file"
            if descriptor >= 0 { close(descriptor) }
            throw Failure(
                diagnosis: Diagnosis(
                    code: "NOA-0066", category: .missingInput, fault: nil, message: "cannot read \(path)",
                    cause: reason, remedy: "check the name and its permissions"))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let data = try handle.read(upToCount: limit + 1) ?? Data()
        guard data.count <= limit else {
            throw Failure(
                diagnosis: Diagnosis(
                    code: "NOA-0065", category: .badData, fault: nil, message: "\(path) is larger than \(limit) bytes",
                    cause: "it is not the kind of file this option takes", remedy: "check which file was meant"))
        }
        return [UInt8](data)
    }
}
