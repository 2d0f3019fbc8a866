import Bluetooth
import Glibc

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
            let (reason, remedy) = descriptor < 0
                ? (String(cString: strerror(errno)), "check the name and its permissions")
                : ("it is not a regular file", "write it into a file first, and name that: folders, pipes and devices are not read")
            if descriptor >= 0 { close(descriptor) }
            throw Failure(
                diagnosis: Diagnosis(
                    code: "NOA-0066", category: .missingInput, fault: nil, message: "cannot read \(path)", cause: reason, remedy: remedy))
        }
        defer { close(descriptor) }
        guard status.st_size <= limit else { throw tooLarge(path, limit) }
        // One byte more than it has: the file may grow meanwhile.
        guard let bytes = contents(of: descriptor, capacity: min(Int(status.st_size), limit) + 1) else {
            throw Failure(
                diagnosis: Diagnosis(
                    code: "NOA-0075", category: .inputOutput, fault: .station, message: "cannot read \(path)",
                    cause: String(cString: strerror(errno)), remedy: "check the disk, and fetch the file again"))
        }
        guard bytes.count <= limit else { throw tooLarge(path, limit) }
        return bytes
    }

    private static func tooLarge(_ path: String, _ limit: Int) -> Failure {
        Failure(
            diagnosis: Diagnosis(
                code: "NOA-0065", category: .badData, fault: nil, message: "\(path) is larger than \(limit) bytes",
                cause: "it is not the kind of file this option takes", remedy: "check which file was meant"))
    }

    /// Up to `capacity` bytes, without a second copy; `nil` when reading fails.
    private static func contents(of descriptor: Int32, capacity: Int) -> [UInt8]? {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            while count < capacity {
                let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, capacity - count)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else {
                    failed = got < 0
                    return
                }
                count += got
            }
        }
        return failed ? nil : bytes
    }
}
