extension VirtualFamily {
    /// Every family that can be played: a new one adds its line.
    public static let all: [VirtualFamily] = [.monocle, .frame]
}
