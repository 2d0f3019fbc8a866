/// Functions that are put into the helper's table on a unit.
package struct LuaLibrary: Sendable {
    package let name: String
    package let code: LuaCode

    package init(_ name: String, _ code: LuaCode) { (self.name, self.code) = (name, code) }
}
