import FoundationEssentials
import ScriptBundle
import Support

/// How a bundle was made, and from what: an in-toto statement (v1) with SLSA provenance (v1).
struct ProvenanceStatement: Encodable, Sendable {
    static let sizeLimit = 4 << 20
    private static let type = "https://in-toto.io/Statement/v1"
    private static let predicate = "https://slsa.dev/provenance/v1"

    struct Resource: Codable, Sendable, Hashable {
        @Omitted var name: String?
        @Omitted var uri: String?
        var digest: [String: String]
    }

    struct Predicate: Encodable, Sendable {
        struct Definition: Encodable, Sendable {
            struct External: Encodable, Sendable {
                var source: Resource
                var family: String
            }

            let buildType = "urn:noafw:bundle:v1"
            var externalParameters: External
            var resolvedDependencies: [Resource]
        }

        struct Details: Encodable, Sendable {
            struct Builder: Encodable, Sendable {
                var id: String
                var version: [String: String]
            }

            struct Metadata: Encodable, Sendable { @Omitted var invocationId: String? }

            var builder: Builder
            var metadata: Metadata
        }

        var buildDefinition: Definition
        var runDetails: Details
    }

    private enum CodingKeys: String, CodingKey { case type = "_type", subject, predicateType, predicate }

    let type = Self.type
    var subject: [Resource]
    let predicateType = Self.predicate
    var predicate: Predicate

    init(_ bundle: ReleaseBundle, name: String, of build: BuildFacts) {
        let manifest = bundle.manifest
        subject = [Resource(name: name, digest: ["sha256": bundle.sha256])]
        let source = Resource(uri: build.source, digest: ["gitCommit": build.commit])
        let images = [manifest.firmware, manifest.fpga].compactMap { image in
            image.map { Resource(name: $0.file, digest: ["sha256": $0.sha256]) }
        }
        predicate = Predicate(
            buildDefinition: .init(
                externalParameters: .init(source: source, family: manifest.family), resolvedDependencies: [source] + images),
            runDetails: .init(
                builder: .init(id: build.builder, version: ["noafw": manifest.tool]), metadata: .init(invocationId: build.invocation)))
    }
}

extension ProvenanceStatement {
    private struct Reader: Decodable {
        struct Predicate: Decodable {
            struct Definition: Decodable {
                struct External: Decodable { var source: Resource? }
                var externalParameters: External?
            }
            var buildDefinition: Definition?
        }

        var _type: String
        var predicateType: String
        var subject: [Resource]
        var predicate: Predicate?
    }

    /// - Parameter sha256: the bundle's.
    /// - Returns: the source and its commit.
    /// - Throws: ``BundleError/statementInvalid(place:reason:)``.
    static func source(in payload: [UInt8], of sha256: String, place: String) throws -> String {
        guard let statement = try? JSONDecoder().decode(Reader.self, from: Data(payload)) else {
            throw BundleError.statementInvalid(place: place, reason: "it is no in-toto statement")
        }
        guard statement._type == type, statement.predicateType == predicate else {
            throw BundleError.statementInvalid(place: place, reason: "it is of another kind than SLSA provenance v1")
        }
        guard statement.subject.contains(where: { $0.digest["sha256"] == sha256 }) else {
            throw BundleError.statementInvalid(place: place, reason: "it names no file with the SHA-256 \(sha256)")
        }
        let source = statement.predicate?.buildDefinition?.externalParameters?.source
        return [source?.uri, source?.digest["gitCommit"]].compactMap(\.self).joined(separator: " at ")
    }
}

/// Where a release is made: of the command line, else of the CI's environment.
struct BuildFacts: Sendable, Hashable {
    var source: String
    var commit: String
    var builder: String
    var invocation: String?
}

extension BuildFacts {
    /// What GitHub and GitLab tell each job.
    init?(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let server = value("GITHUB_SERVER_URL"), let repository = value("GITHUB_REPOSITORY"), let commit = value("GITHUB_SHA") {
            let reference = value("GITHUB_REF").map { "@\($0)" } ?? ""
            let attempt = value("GITHUB_RUN_ATTEMPT").map { "/attempts/\($0)" } ?? ""
            self.init(
                source: "git+\(server)/\(repository)\(reference)", commit: commit,
                builder: "\(server)/actions/runner/\(value("RUNNER_ENVIRONMENT") ?? "unknown")",
                invocation: value("GITHUB_RUN_ID").map { "\(server)/\(repository)/actions/runs/\($0)\(attempt)" })
        } else if let project = value("CI_PROJECT_URL"), let commit = value("CI_COMMIT_SHA") {
            let reference = value("CI_COMMIT_REF_NAME").map { "@\($0)" } ?? ""
            self.init(
                source: "git+\(project)\(reference)", commit: commit, builder: "\(project)/-/runners/\(value("CI_RUNNER_ID") ?? "unknown")",
                invocation: value("CI_JOB_URL"))
        } else {
            return nil
        }
    }
}
