import Provisioning
import ScriptBundle

extension ScriptFamily {
    /// Lua 5.4; the phone app has no order for them.
    public static let frame = ScriptFamily(name: FamilyID.frame.rawValue, suffix: ".lua", syntax: .luac)
}
