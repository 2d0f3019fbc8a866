import ArgumentParser

/// `noafw package`
struct PackageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "package",
        abstract: "Make, show and verify DFU packages; make and show their keys.",
        discussion: """
            Use it instead of Nordic's `nrfutil pkg` and `nrfutil keys`. Each tool reads the packages and keys of the other.

            Examples:
              noafw package key new -o release.pem
              noafw package create --family monocle --application app.hex --application-version 12 \\
                  --key-file release.pem -o app.zip
              noafw package inspect app.zip
              noafw package verify app.zip --key release.pem
            """,
        subcommands: [
            PackageCreateCommand.self, PackageInspectCommand.self, PackageVerifyCommand.self, PackageKeyCommand.self,
        ])
}

/// `noafw package key`
struct PackageKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Make and show the keys that packages are signed with.",
        subcommands: [PackageKeyNewCommand.self, PackageKeyShowCommand.self])
}
