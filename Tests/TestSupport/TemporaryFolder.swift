import Foundation

/// A folder that a test fills; gone when the test is.
package final class TemporaryFolder: Sendable {
    package let url: URL
    package var path: String { url.path(percentEncoded: false) }

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-tests-\(UUID().uuidString)", isDirectory: false)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, with the folders above it.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = URL(fileURLWithPath: path(name))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file.path
    }

    @discardableResult
    package func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }

    package func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name)))) }

    package func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}

/// Runs a program to its end.
package func runProgram(
    _ path: String, _ arguments: [String], environment: [String: String]? = nil, folder: String? = nil,
    input: TestProcess.Stream = .nothing
) throws -> (status: Int32, output: String) {
    let pipe = Pipe()
    let process = try TestProcess(
        URL(fileURLWithPath: path), arguments, environment: environment, folder: folder.map { URL(fileURLWithPath: $0) },
        input: input, output: .pipe(pipe), errors: .pipe(pipe))
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return (process.terminationStatus, output)
}
