import ArgumentParser
import BlueZ

/// The value of `--adapter`: `hciN`, an address, or a place on the USB bus. Addresses and places survive a restart, `hciN` does not.
struct AdapterName: Sendable, Hashable, ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard AdapterSelector(argument) != nil else { return nil }
        text = argument
    }

    static var defaultCompletionKind: CompletionKind { LiveCompletion.kind { AdapterSelector.present().map(\.description) } }

    var defaultValueDescription: String { text }

    static let form = "hciN|address|usb:port"
    static let help = ArgumentHelp("Use this Bluetooth adapter. The default is the first one that is on.", valueName: form)
}
