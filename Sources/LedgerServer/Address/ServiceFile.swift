import Foundation
import Support

/// libpq's service file: sections in brackets, a setting a line.
enum ServiceFile {
    static let byteLimit = 1 << 20

    /// A user's own, and the system's.
    static func places(_ environment: [String: String]) -> [String] {
        [
            environment["PGSERVICEFILE"] ?? environment["HOME"].map { "\($0)/.pg_service.conf" },
            environment["PGSYSCONFDIR"].map { "\($0)/pg_service.conf" } ?? "/etc/postgresql-common/pg_service.conf",
        ].compactMap(\.self)
    }

    /// The first file that has the service; a user's own comes before the system's.
    static func settings(of name: String, environment: [String: String]) throws(ServerError) -> [String: String] {
        let places = places(environment)
        for path in places where FileManager.default.fileExists(atPath: path) {
            let bytes: [UInt8]
            do {
                bytes = try FileReader.read(path, limit: byteLimit)
            } catch {
                throw .service(name: name, reason: "\(path): \(error.reason)")
            }
            switch section(name, of: String(decoding: bytes, as: UTF8.self)) {
            case .success(let settings): return settings
            case .failure(.badLine(let line)): throw .service(name: name, reason: "line \(line) of \(path) is no NAME=VALUE")
            case .failure(.isMissing): continue
            }
        }
        throw .service(name: name, reason: "no file has it: \(places.joined(separator: ", "))")
    }

    private enum Fault: Error {
        case isMissing
        /// Its number, from 1.
        case badLine(Int)
    }

    /// As libpq reads it: of a setting that stands there twice, the first counts.
    private static func section(_ name: String, of text: String) -> Result<[String: String], Fault> {
        var settings: [String: String]?
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("[") {
                guard settings == nil else { break }
                if line == "[\(name)]" { settings = [:] }
            } else if let known = settings, !line.isEmpty, !line.hasPrefix("#") {
                guard let sign = line.firstIndex(of: "="), sign > line.startIndex else { return .failure(.badLine(index + 1)) }
                settings = [String(line[..<sign]): String(line[line.index(after: sign)...])].merging(known) { $1 }
            }
        }
        return settings.map(Result.success) ?? .failure(.isMissing)
    }
}
