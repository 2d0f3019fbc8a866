extension Dictionary where Key == UInt64 {
    /// By their numbers: a hash table has another order in every process, and who is woken first works first.
    var oldestFirst: [Value] { sorted { $0.key < $1.key }.map(\.value) }
}
