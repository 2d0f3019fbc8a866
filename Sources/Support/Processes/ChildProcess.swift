import Glibc

/// Starts a program that gets three streams, the settings it is given, and nothing else of this process: no shell, none of
/// the environment, in which a key may be, and none of the files. It stays in the process group, so that a terminal's Ctrl-C
/// ends it as well.
public enum ChildProcess {
    /// - Parameters:
    ///   - path: of the program; no search is made.
    ///   - environment: `NAME=value`, all there is.
    /// - Returns: `nil` when it cannot be started.
    public static func spawn(
        _ path: String, _ arguments: [String], environment: [String], input: Int32, output: Int32, errors: Int32
    ) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        for descriptor in openDescriptors() where descriptor > 2 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of Swift's pool block signals, and a child would inherit that.
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let words = Self.cStrings([path] + arguments)
        let settings = Self.cStrings(environment)
        defer { (words + settings).forEach { free($0) } }
        var process: pid_t = 0
        return posix_spawn(&process, path, &actions, &attributes, words, settings) == 0 ? process : nil
    }

    /// To be freed; ends with the null pointer that `exec` wants.
    private static func cStrings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }

    /// Ours, and what we were given: a pipe of the build that started us is none of the program's business.
    private static func openDescriptors() -> [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var found: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if let descriptor = Int32(name) { found.append(descriptor) }
        }
        return found
    }
}
