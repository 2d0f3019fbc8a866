import Provisioning
import Support

/// What a run works with. It is opened and checked before a unit is looked for, for each family of which the unit may be.
struct AssetChoice: Sendable {
    /// Shown only for the family that is found.
    private struct Entry {
        var assets: Result<AssetSet, any Error>
        var notices: [String] = []
    }

    private let entries: [FamilyID: Entry]

    /// - Parameter components: `nil` for all that the unit has.
    /// - Throws: what is wrong with the files, or with `components`, whatever the unit's family is.
    init(_ components: Set<Component>?, for families: [Family], from inputs: AssetInputs, allowsDevelopment: Bool) throws {
        var entries: [FamilyID: Entry] = [:]
        var faults: [any Error] = []
        for family in families {
            var notices: [String] = []
            do {
                let loader = AssetLoader(
                    family: family, inputs: inputs, allowsDevelopment: allowsDevelopment, notice: { notices.append($0) })
                entries[family.id] = Entry(assets: .success(try loader.load(components)), notices: notices)
            } catch {
                entries[family.id] = Entry(assets: .failure(error), notices: notices)
                faults.append(error)
            }
        }
        self.entries = entries
        let isHopeless = faults.count == families.count && Set(faults.map { diagnose($0).code }).count == 1
        if isHopeless, let fault = faults.first { throw fault }
    }

    /// - Throws: what is wrong with the files, or with the parts that were asked for, for a unit of this family.
    func assets(for family: FamilyID, events: (RunEvent) -> Void) throws -> AssetSet {
        guard let entry = entries[family] else { throw CatalogueError.hardwareUnknown(family.rawValue) }
        for notice in entry.notices { events(.notice(notice)) }
        return try entry.assets.get()
    }
}
