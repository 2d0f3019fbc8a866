import Foundation
import Support

/// libpq's service file: sections in brackets, a setting a line.
enum ServiceFile {
    static let byteLimit = 1 << 20

    static func places(_ environment: [String: String]) -> [String] {
        [
            environment["PGSERVICEFILE"] ?? environment["HOME"].map { "\($0)/.pg_service.conf" },
            environment["PGSYSCONFDIR"].map { "\($0)/pg_service.conf" } ?? "/etc/postgresql-common/pg_service.conf",
        ].compactMap(\.self)
    }

    /// From the first file with the service; a user's own comes before the system's.
    static func settings(of name: String, environment: [String: String]) throws(ServerError) -> [String: String] {
        let places = places(environment)
        for path in places where FileManager.default.fileExists(atPath: path) {
            let bytes: [UInt8]
            do {
                bytes = try FileReader.read(path, limit: byteLimit)
            } catch {
                throw .service(name: name, reason: "\(path): \(error.reason)")
            }
            if let settings = try section(name, of: String(decoding: bytes, as: UTF8.self), path) { return settings }
        }
        throw .service(name: name, reason: "no file has it: \(places.joined(separator: ", "))")
    }

    /// As in libpq, the first of two equal settings counts.
    static func section(_ name: String, of text: String, _ path: String) throws(ServerError) -> [String: String]? {
        var settings: [String: String]?
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("[") {
                guard settings == nil else { break }
                if line == "[\(name)]" { settings = [:] }
            } else if let known = settings, !line.isEmpty, !line.hasPrefix("#") {
                guard let sign = line.firstIndex(of: "="), sign > line.startIndex else {
                    throw .service(name: name, reason: "line \(index + 1) of \(path) is not NAME=VALUE")
                }
                settings = [String(line[..<sign]): String(line[line.index(after: sign)...])].merging(known) { $1 }
            }
        }
        return settings
    }
}
