import Assistant
import Foundation
import Support

extension AssistantSettings {
    /// From the command line, which never holds a key.
    public struct Overrides: Sendable {
        let baseURL: String?
        let chatModel: String?

        public init(baseURL: String? = nil, chatModel: String? = nil) { (self.baseURL, self.chatModel) = (baseURL, chatModel) }
    }

    /// `$XDG_CONFIG_HOME/noafw/config.json`, else `~/.config/noafw/config.json`.
    public static func configurationFile(environment: [String: String]) -> String? {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return folder + "/noafw/config.json" }
        return environment["HOME"].map { $0 + "/.config/noafw/config.json" }
    }

    /// Settings from the command line, the environment and the configuration file, in this order of precedence.
    ///
    /// A key goes only where it belongs: `NOAFW_API_KEY` to any server, the file's `api_key` to the file's server, `OPENAI_API_KEY` to
    /// OpenAI or `OPENAI_BASE_URL`.
    public static func load(environment: [String: String], overrides: Overrides = Overrides()) throws(AssistantError) -> Self {
        try loaded(from: configurationFile(environment: environment).flatMap(ConfigurationFile.read), environment, overrides)
    }

    static func loaded(
        from file: ConfigurationFile?, _ environment: [String: String], _ overrides: Overrides
    ) throws(AssistantError) -> Self {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let openAIBase = variable("OPENAI_BASE_URL")
        let base = overrides.baseURL ?? variable("NOAFW_BASE_URL") ?? file?.baseURL ?? openAIBase
        var settings = AssistantSettings(baseURL: try base.map { text throws(AssistantError) in try BaseURL(text) } ?? .openAI)
        if let file { try settings.apply(file) }
        if let model = overrides.chatModel ?? variable("NOAFW_MODEL") { settings.chatModel = model }
        if let model = variable("NOAFW_SPEECH_MODEL") { settings.speechModel = model }
        settings.chooseProxy(environment)
        try settings.chooseKey(among: [
            ("NOAFW_API_KEY", variable("NOAFW_API_KEY"), settings.baseURL.origin),
            ("api_key of the configuration file", file?.apiKey, origin(of: file?.baseURL)),
            ("OPENAI_API_KEY", variable("OPENAI_API_KEY"), origin(of: openAIBase)),
        ])
        try settings.check()
        return settings
    }

    private static func origin(of base: String?) -> String? {
        guard let base else { return BaseURL.openAI.origin }
        return (try? BaseURL(base))?.origin
    }

    /// - Parameter candidates: `home` is the origin to which the key belongs.
    private mutating func chooseKey(among candidates: [(name: String, text: String?, home: String?)]) throws(AssistantError) {
        for candidate in candidates {
            guard let text = candidate.text else { continue }
            if candidate.home == baseURL.origin { return key = try SecretText(text) }
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
        if let path = file.certificateFile {
            // Relative to the configuration file, not to the working directory.
            let folder = URL(fileURLWithPath: file.path).deletingLastPathComponent()
            certificateFile = URL(fileURLWithPath: path, relativeTo: folder).standardizedFileURL.path
        }
        if let text = file.proxy {
            guard let proxy = Proxy(text) else { throw .badConfiguration(path: file.path, "its proxy is not HOST:PORT") }
            self.proxy = proxy
        }
    }
}

// MARK: - The proxy

extension AssistantSettings {
    /// Reads the environment like curl, unless the configuration file names a proxy.
    fileprivate mutating func chooseProxy(_ environment: [String: String]) {
        guard !baseURL.isPrivateToThisMachine else { return proxy = nil }
        guard proxy == nil else { return }
        switch Proxy.choose(for: baseURL.host, isEncrypted: baseURL.isEncrypted, environment: environment) {
        case .direct: break
        case .proxy(let chosen): proxy = chosen
        case .unusable(let variable):
            notices.append("\(variable) is not used: it is not of the form http://HOST:PORT, without a user and password")
        }
    }
}
