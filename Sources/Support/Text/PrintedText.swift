import Glibc

extension String {
    /// Numbers as C's `printf` writes them. Foundation's own would bring all of Foundation into noafw-ci.
    package init(printf format: String, _ values: any CVarArg...) {
        self.init(decoding: printed(format, values), as: UTF8.self)
    }
}

private func printed(_ format: String, _ values: [any CVarArg]) -> [UInt8] {
    var text = [CChar](repeating: 0, count: 64)
    let room = text.count
    let count = Int(withVaList(values) { vsnprintf(&text, room, format, $0) })
    return text.prefix(min(max(count, 0), room - 1)).map { UInt8(bitPattern: $0) }
}
