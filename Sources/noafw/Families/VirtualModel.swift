import Foundation
import Provisioning
import VirtualDevices

/// How a family's virtual unit is made.
struct VirtualModel: Sendable {
    /// Opens the state folder of a unit with this name, or makes a factory-new one.
    let openFolder: @Sendable (_ root: URL, _ name: String) throws -> UnitFolder
    /// The words of a command that prints which interpreter a unit would run; the argument is the Python of .venv.
    /// `nil` for a unit that runs on none.
    let versionCommand: (@Sendable (_ python: String) -> [String])?
    let makeUnit: @Sendable (UnitFolder, UnitConfiguration, VirtualAir) throws -> VirtualDevices.VirtualUnit
}
