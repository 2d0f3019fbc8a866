import Provisioning

/// What to flash or to compare with; without a bundle, whatever has no file comes from the catalogue.
struct AssetInputs: Sendable, Hashable {
    var bundle: String?
    var files: [Component: String] = [:]
    /// The versions that images show when they run, where they do not tell themselves.
    var versions: [Component: String] = [:]
    /// PEM files of public keys: packages may be signed with them, beside the built-in ones, and a bundle must be.
    var trust: [String] = []
    /// What the unit will report with firmware that does not show it.
    var firmwareVersion: String?
    /// Firmware without a signature may go to a unit that checks none either.
    var allowsUnsigned = false
    var search: AssetSearch
    /// Development images may go to a unit that is not virtual.
    var allowsDevelopment = false
    /// The unit's scripts are no business of the run.
    var leavesScripts = false
    /// Whatever is given as an FPGA image is taken for one.
    var allowsAnyFPGAImage = false

    func path(_ name: String) -> NamedPath { search.path(name) }
}
