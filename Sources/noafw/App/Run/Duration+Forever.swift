extension Duration {
    /// Longer than any run.
    static let forever = Duration.seconds(100_000_000)
}
