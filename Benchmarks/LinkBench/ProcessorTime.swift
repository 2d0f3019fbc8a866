import Glibc

enum ProcessorTime {
    /// In seconds, of all threads, the interpreters of ended units included.
    static var ofThisProcess: Double { [RUSAGE_SELF.rawValue, RUSAGE_CHILDREN.rawValue].reduce(0) { $0 + seconds(of: $1) } }

    private static func seconds(of whom: Int32) -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(whom), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}
