import ArgumentParser
import DFU
import Provisioning

/// The images of a new package.
struct PackageImageOptions: ParsableArguments, Sendable {
    private static let firmwareFile = CompletionKind.file(extensions: ["hex", "bin"])

    @Option(help: ArgumentHelp("The application.", valueName: "file"), completion: firmwareFile)
    var application: InputName?

    @Option(help: ArgumentHelp("Its version, a number that a bootloader compares.", valueName: "n"))
    var applicationVersion: WireNumber?

    @Option(help: ArgumentHelp("Its version as text: 2.7.31 becomes 20731.", valueName: "x.y.z"))
    var applicationVersionString: DottedVersion?

    @Option(help: ArgumentHelp("How the application is checked at every start: none, crc, sha256, ecdsa.", valueName: "method"))
    var appBootValidation: BootValidation.Method = .crc

    @Flag(help: "The application is passed on to another device.")
    var externalApp = false

    @Option(help: ArgumentHelp("The SoftDevice.", valueName: "file"), completion: firmwareFile)
    var softdevice: InputName?

    @Option(help: ArgumentHelp("How the SoftDevice is checked at every start.", valueName: "method"))
    var sdBootValidation: BootValidation.Method = .crc

    @Option(help: ArgumentHelp("The bootloader.", valueName: "file"), completion: firmwareFile)
    var bootloader: InputName?

    @Option(help: ArgumentHelp("Its version, a number that a bootloader compares.", valueName: "n"))
    var bootloaderVersion: WireNumber?

    func validate() throws {
        if application == nil, softdevice == nil, bootloader == nil {
            throw ValidationError("Give an image: --application, --softdevice, --bootloader or several of them.")
        }
        if application != nil, bootloader != nil, softdevice == nil {
            throw ValidationError("A bootloader and an application need a package each.")
        }
        if applicationVersion != nil, applicationVersionString != nil {
            throw ValidationError("Give --application-version or --application-version-string.")
        }
        if application == nil, applicationVersion != nil || applicationVersionString != nil || externalApp {
            throw ValidationError("The application's options need --application.")
        }
        if bootloader == nil, bootloaderVersion != nil { throw ValidationError("--bootloader-version needs --bootloader.") }
        if externalApp, softdevice != nil { throw ValidationError("--external-app needs a package of its own.") }
    }
}

/// Which units a new package suits.
struct PackageTargetOptions: ParsableArguments, Sendable {
    @Option(help: "Set --hw-version, --sd-req and the room for the application for these glasses.")
    var family: FamilyName?

    @Option(help: ArgumentHelp("The hardware version.", valueName: "n"))
    var hwVersion: WireNumber?

    @Option(
        help: ArgumentHelp(
            "The SoftDevices that the unit may run, such as 0x0124 (S132 7.3.0) or 0x0123 (S140 7.3.0).",
            valueName: "ids"))
    var sdReq: [SoftDeviceList] = []

    @Option(help: ArgumentHelp("The id of the SoftDevice in the package. The application will run on it.", valueName: "ids"))
    var sdId: [SoftDeviceList] = []

    @Flag(help: "Let a bootloader built for debugging skip its version checks.")
    var debugMode = false

    var hardwareVersion: UInt32? { hwVersion?.value ?? target?.hardwareVersion ?? (debugMode ? .max : nil) }

    var softDevices: [UInt32]? {
        if !sdReq.isEmpty { return Self.union(sdReq) }
        return target.map { [$0.softDeviceID] } ?? (debugMode ? [Self.anySoftDevice] : nil)
    }

    var target: DFUTarget? { family?.family?.bootloader?.target }

    var newSoftDevices: [UInt32] { Self.union(sdId) }

    /// What the SDK takes for "any".
    static let anySoftDevice: UInt32 = 0xFFFE

    private static func union(_ lists: [SoftDeviceList]) -> [UInt32] {
        lists.flatMap(\.ids).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

/// Who signs a new package.
struct PackageSignatureOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The private key (P-256, PEM): a file, - for standard input, or env:NAME for a variable.", valueName: SigningKeyName.form),
        completion: .file(extensions: ["pem"]))
    var keyFile: SigningKeyName?

    @Flag(help: "Do not sign the package. The bootloaders of the glasses refuse such a package.")
    var unsigned = false

    func validate() throws {
        if unsigned == (keyFile != nil) { throw ValidationError("Give either --key-file KEY or --unsigned.") }
    }
}

/// A package to read.
struct PackageFileOptions: ParsableArguments, Sendable {
    @Argument(help: "The package.", completion: .file(extensions: ["zip"]))
    var file: InputName

    @Option(
        help: ArgumentHelp("Accept a signature by this key (PEM), public or your own private one. Repeat for more keys.", valueName: "key"),
        completion: .file(extensions: ["pem"]))
    var key: [InputName] = []

    @Option(
        help: ArgumentHelp("The same for a public key only, as in noafw flash. Repeat for more keys.", valueName: "key"),
        completion: .file(extensions: ["pem"]))
    var trust: [InputName] = []

    @OptionGroup var voice: QuietOption

    @Flag(help: "Print one JSON document (schema noafw.package/1) on standard output.")
    var json = false
}
