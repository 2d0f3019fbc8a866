extension Duration {
    /// Longer than any run: for what waits without a deadline.
    public static let forever = Duration.seconds(100_000_000)
}
