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
            if let settings = section(name, of: String(decoding: bytes, as: UTF8.self)) { return settings }
        }
        throw .service(name: name, reason: "no file has it: \(places.joined(separator: ", "))")
    }

    static func section(_ name: String, of text: String) -> [String: String]? {
        var settings: [String: String]?
        var isInside = false
        for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if line.hasPrefix("[") {
                guard settings == nil else { break }
                isInside = line == "[\(name)]"
                if isInside { settings = [:] }
            } else if isInside, !line.hasPrefix("#"), let sign = line.firstIndex(of: "=") {
                settings?[String(line[..<sign])] = String(line[line.index(after: sign)...])
            }
        }
        return settings
    }
}
