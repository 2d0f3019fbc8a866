import Support

/// Reads a file named on the command line, within limits.
enum InputFile {
    struct Failure: DiagnosableError {
        let diagnosis: Diagnosis
    }

    /// - Throws: ``Failure`` with exit 66 when the file cannot be read, 65 when it is larger than `limit` bytes.
    static func read(_ path: NamedPath, limit: Int) throws -> [UInt8] {
        do {
            return try FileReader.read(path.location, limit: limit, followsLinks: true)
        } catch {
            throw Failure(diagnosis: diagnosis(of: error, path.name))
        }
    }

    /// Like ``read(_:limit:)``, for reading on demand.
    static func open(_ path: NamedPath, limit: Int) throws -> OpenedFile {
        do {
            let file = try OpenedFile(path.location, followsLinks: true)
            try file.check(limit: limit)
            return file
        } catch {
            throw Failure(diagnosis: diagnosis(of: error, path.name))
        }
    }

    static func diagnosis(of failure: FileReader.Failure, _ path: String) -> Diagnosis {
        switch failure.kind {
        case .missing, .link, .notOpened: unreadable(path, failure.reason, "check the name and the permissions")
        case .noFile:
            unreadable(
                path, failure.reason, "name a regular file; write what a pipe or device gives into a file first")
        case .tooLarge(_, let limit):
            Diagnosis(
                "NOA-0065", .badData, nil, "\(path) is larger than \(limit) bytes",
                cause: "it is not the kind of file that this option takes", remedy: "check that it is the file you meant")
        case .changing, .notReadable:
            Diagnosis(
                "NOA-0075", .inputOutput, .station, "cannot read \(path)",
                cause: failure.reason, remedy: "check the disk, and fetch the file again")
        }
    }

    static func unreadable(_ path: String, _ reason: String, _ remedy: String) -> Diagnosis {
        Diagnosis(
            "NOA-0066", .missingInput, nil, "cannot read \(path)", cause: reason, remedy: remedy)
    }

    /// Windows editors put it before UTF-8.
    static func withoutByteOrderMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
    }
}
