import Provisioning
import ScriptBundle

struct BundleSource {
    /// How many omitted files are named.
    private static let toldNames = 5

    var folder: NamedPath
    /// `nil` reads it from the folder.
    var family: ScriptFamily?
    var scheme: VersionScheme

    func scripts(note: (String) -> Void) throws -> ScriptSet {
        let place = ScriptFolder(folder.location)
        let declaration = try ScriptDeclaration(folder: folder.location, family: family, among: FamilyList.supported.scripts)
        let family = try family ?? declaration?.family ?? place.family(among: FamilyList.supported.scripts)
        let found = try place.scriptNames(of: family)
        let names = declaration?.names ?? found.scripts
        let scripts = try place.scripts(
            names, family: family, order: declaration == nil ? .app : .declared, scheme: scheme, limits: .bundle)
        try declaration?.check(scripts)
        let leftOut = Set(found.scripts).subtracting(names).sorted() + found.others.filter { $0 != "manifest.json" }
        if !leftOut.isEmpty { note(Self.text(leftOut)) }
        scripts.warnings.forEach(note)
        return scripts
    }

    private static func text(_ names: [String]) -> String {
        let rest = names.count - toldNames
        return "left out: " + names.prefix(toldNames).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
