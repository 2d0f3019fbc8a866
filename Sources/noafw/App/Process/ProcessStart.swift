import FoundationEssentials
import Glibc

/// What the process needs of the machine before it does anything.
enum ProcessStart {
    /// What a command may have open at once, with room to spare. The libraries below end the process where they lack one.
    static let descriptorCount = 64
    /// Beside one for each of 16 processors at most, which the tasks share: the virtual world, input, bus, server and signals, with
    /// room to spare.
    static let threadCount = 12

    /// Puts something in the place of each standard stream that is closed: the next file would take its number, and get its text.
    ///
    /// Opened the wrong way round, so that reading and writing still fail.
    static func fillStandardStreams() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest free number, which is this one.
            _ = open("/dev/null", mode)
        }
    }

    /// The argument parser measures the terminal by itself, also where it shows nothing, and ends the process when that is narrow.
    static func hideWidthFromParser() { setenv("COLUMNS", "80", 1) }

    /// Where addresses are few (ulimit -v), all threads share one heap: glibc gives each its own 64 MiB of them, and where they are used up
    /// every allocation becomes a system call.
    static func shareHeap() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur != .max else { return }
        // Not in Swift's module of glibc; M_ARENA_MAX of malloc.h is -8.
        guard let symbol = dlsym(nil, "mallopt") else { return }
        _ = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)(-8, 1)
    }

    /// Takes the arguments behind the verb out of the list of processes, and leaves no core file that would hold them.
    ///
    /// Swift's own copy stays. Where the arguments lie: fields 48 and 49 of `/proc/self/stat` (proc(5)).
    static func hideArguments() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        guard let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8) else { return }
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 46, let start = UInt(fields[45]), let end = UInt(fields[46]), start < end,
            let memory = UnsafeMutablePointer<UInt8>(bitPattern: start)
        else { return }
        let bytes = UnsafeMutableBufferPointer(start: memory, count: Int(end - start))
        guard let name = bytes.firstIndex(of: 0), let verb = bytes[(name + 1)...].firstIndex(of: 0) else { return }
        bytes[(verb + 1)...].update(repeating: 0)
    }

    /// - Returns: what the machine does not grant; `nil` when there is room.
    static func shortage(descriptors: Int = descriptorCount, threads: Int? = nil) -> CommandError? {
        guard hasRoom(forDescriptors: descriptors) else { return .tooFewDescriptors(needed: descriptors) }
        let threads = threads ?? threadCount + min(16, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        return hasRoom(forThreads: threads) ? nil : .tooFewThreads(needed: threads)
    }

    private static func hasRoom(forDescriptors count: Int) -> Bool {
        var taken: [Int32] = []
        defer { for descriptor in taken { close(descriptor) } }
        while taken.count < count {
            let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { return false }
            taken.append(descriptor)
        }
        return true
    }

    /// All at once, as they will be.
    private static func hasRoom(forThreads count: Int) -> Bool {
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(gate, nil)
        pthread_mutex_lock(gate)
        var threads: [pthread_t] = []
        defer {
            pthread_mutex_unlock(gate)
            for thread in threads { pthread_join(thread, nil) }
            pthread_mutex_destroy(gate)
            gate.deallocate()
        }
        while threads.count < count {
            var thread = pthread_t()
            let code = pthread_create(&thread, nil, { gate in
                guard let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
                pthread_mutex_lock(gate)
                pthread_mutex_unlock(gate)
                return nil
            }, gate)
            guard code == 0 else { return false }
            threads.append(thread)
        }
        return true
    }
}
