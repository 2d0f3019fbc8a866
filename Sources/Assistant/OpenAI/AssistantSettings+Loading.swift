import Foundation

extension AssistantSettings {
    /// What the command line says; a key is never among it.
    public struct Overrides: Sendable {
        public var baseURL: String?
        public var chatModel: String?
        public var speechModel: String?

        public init(baseURL: String? = nil, chatModel: String? = nil, speechModel: String? = nil) {
            self.baseURL = baseURL
            self.chatModel = chatModel
            self.speechModel = speechModel
        }
    }

    /// Where the configuration file is: `$XDG_CONFIG_HOME/noafw/config.json`, else `~/.config/noafw/config.json`.
    public static func configurationFile(environment: [String: String]) -> String? {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder + "/noafw/config.json" }
        return environment["HOME"].map { $0 + "/.config/noafw/config.json" }
    }

    /// Settings from the command line, the environment and the configuration file, in this order of precedence.
    ///
    /// A key goes only where it was meant to go: `NOAFW_API_KEY` to any server, the file's `api_key` to the file's server,
    /// `OPENAI_API_KEY` to OpenAI or to `OPENAI_BASE_URL`.
    /// - Throws: ``AssistantError``.
    public static func load(environment: [String: String], overrides: Overrides = Overrides()) throws(AssistantError) -> Self {
        let file = try configurationFile(environment: environment).flatMap { path throws(AssistantError) in
            try ConfigurationFile.read(path)
        }
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let openAIBase = variable("OPENAI_BASE_URL")
        let base = overrides.baseURL ?? variable("NOAFW_BASE_URL") ?? file?.baseURL ?? openAIBase
        var settings = AssistantSettings(baseURL: try base.map { text throws(AssistantError) in try BaseURL(text) } ?? .openAI)
        if let file { try settings.apply(file) }
        if let model = overrides.chatModel ?? variable("NOAFW_MODEL") { settings.chatModel = model }
        if let model = overrides.speechModel ?? variable("NOAFW_SPEECH_MODEL") { settings.speechModel = model }
        let candidates: [KeyCandidate] = [
            KeyCandidate(name: "NOAFW_API_KEY", text: variable("NOAFW_API_KEY"), home: settings.baseURL.origin),
            KeyCandidate(name: "api_key of the configuration file", text: file?.apiKey, home: origin(of: file?.baseURL)),
            KeyCandidate(name: "OPENAI_API_KEY", text: variable("OPENAI_API_KEY"), home: origin(of: openAIBase)),
        ]
        try settings.chooseKey(among: candidates)
        try settings.check()
        return settings
    }

    private struct KeyCandidate {
        var name: String
        var text: String?
        /// The origin that the key was given for.
        var home: String?
    }

    private static func origin(of base: String?) -> String? {
        guard let base else { return BaseURL.openAI.origin }
        return (try? BaseURL(base))?.origin
    }

    private mutating func chooseKey(among candidates: [KeyCandidate]) throws(AssistantError) {
        for candidate in candidates {
            guard let text = candidate.text else { continue }
            if candidate.home == baseURL.origin { return use(try SecretText(text)) }
            notices.append("\(candidate.name) is not sent to \(baseURL.host): it was given for another server")
        }
    }

    private mutating func apply(_ file: ConfigurationFile) throws(AssistantError) {
        if let model = file.model { chatModel = model }
        if let model = file.speechModel { speechModel = model }
        if let images = file.images { takesImages = images }
        if let language = file.language { self.language = language }
        if let limit = file.tokenLimit { tokenLimit = max(1, limit) }
        if let allows = file.allowPlainHTTP { allowsPlainHTTP = allows }
        if let text = file.proxy {
            guard let parts = URLComponents(string: "http://" + text), let host = parts.host, let port = parts.port,
                parts.path.isEmpty
            else { throw .badConfiguration(path: file.path, "its proxy is not HOST:PORT") }
            proxy = Proxy(host: host, port: port)
        }
    }
}
