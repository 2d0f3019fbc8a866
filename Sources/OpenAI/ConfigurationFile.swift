import Assistant
import Foundation
import Glibc
import Support

/// JSON that may hold a key: only its owner may read it.
struct ConfigurationFile: Decodable {
    var path = ""
    var baseURL: String?
    var model: String?
    var speechModel: String?
    var apiKey: String?
    var images: Bool?
    var language: String?
    var tokenLimit: Int?
    var proxy: String?
    var certificateFile: String?
    var allowPlainHTTP: Bool?

    private enum CodingKeys: String, CodingKey {
        case baseURL = "base_url", model, speechModel = "speech_model", apiKey = "api_key", images, language
        case tokenLimit = "token_limit", proxy, certificateFile = "ca_file", allowPlainHTTP = "allow_plain_http"
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct UnknownKey: Error { let name: String }

    /// Refuses unknown keys.
    private struct Checked: Decodable {
        let file: ConfigurationFile

        init(from decoder: any Decoder) throws {
            for key in try decoder.container(keyedBy: AnyKey.self).allKeys where CodingKeys(stringValue: key.stringValue) == nil {
                throw UnknownKey(name: key.stringValue)
            }
            file = try ConfigurationFile(from: decoder)
        }
    }

    private static let sizeLimit = 64 << 10

    /// - Returns: `nil` when there is no such file.
    /// - Throws: errors without values from the file.
    static func read(_ path: String) throws(AssistantError) -> ConfigurationFile? {
        guard let content = try privateContent(of: path) else { return nil }
        return try decode(content, path)
    }

    static func decode(_ content: Data, _ path: String) throws(AssistantError) -> ConfigurationFile {
        do {
            var file = try JSONDecoder().decode(Checked.self, from: content).file
            file.path = path
            return file
        } catch let error as UnknownKey {
            throw .badConfiguration(path: path, "it has an unknown key: \(error.name.prefix(40))")
        } catch let DecodingError.typeMismatch(_, context) {
            let key = context.codingPath.last?.stringValue ?? "it"
            throw .badConfiguration(path: path, "the value of \(key) is of another type than expected")
        } catch {
            throw .badConfiguration(path: path, "it is not a JSON object")
        }
    }

    /// Checks the open file: a name may come to mean another.
    private static func privateContent(of path: String) throws(AssistantError) -> Data? {
        do {
            let file = try OpenedFile(path, followsLinks: true)
            guard file.status.st_uid == geteuid() else { throw AssistantError.notPrivate(path: path, "it belongs to somebody else") }
            guard file.status.st_mode & 0o077 == 0 else {
                let mode = String(file.status.st_mode & 0o777, radix: 8)
                throw AssistantError.notPrivate(path: path, "its permissions are \(mode), not 600")
            }
            return Data(try file.contents(limit: sizeLimit))
        } catch let failure as FileReader.Failure {
            if failure.kind == .missing { return nil }
            throw .badConfiguration(path: path, failure.kind == .noFile ? "it is not a file" : failure.reason)
        } catch let error as AssistantError {
            throw error
        } catch {
            throw .badConfiguration(path: path, SystemError.text(error))
        }
    }
}
