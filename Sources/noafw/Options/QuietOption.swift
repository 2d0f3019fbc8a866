import ArgumentParser

/// For logs of a build: what went well needs no words.
struct QuietOption: ParsableArguments, Sendable {
    @Flag(name: [.short, .long], help: "Print errors alone, and the document of --json.")
    var quiet = false
}
