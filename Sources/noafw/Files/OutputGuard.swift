import ArgumentParser

/// Ensures that no result replaces an input, noafw's own files, a private key, or another result.
enum OutputGuard {
    /// Call before anything else.
    /// - Throws: ``CommandError/outputIsInput(path:)``, ``CommandError/outputInFolder(path:folder:)``,
    ///   ``CommandError/outputIsOwn(path:)``, ``CommandError/outputHoldsKey(path:)``, ``CommandError/usage(_:)``.
    static func check(_ command: any ParsableCommand, in context: CommandContext) throws(CommandError) {
        let uses = FileUse.all(in: command, context)
        let inputs = uses.compactMap { if case .read(let path) = $0 { path } else { nil } }
        var results: [FilePlace] = []
        for use in uses {
            guard let path = use.result else { continue }
            // In other options it is standard output.
            guard path.name != "-" else { throw .usage("this is written to a file only: name one, or ./- for a file of that name") }
            let place = FilePlace(path.location)
            try check(path, place, inputs)
            for own in OwnFiles.all(in: context) where place.isWithin(own) { throw .outputIsOwn(path: path.name) }
            if case .written = use, PrivateKeyForm.isIn(file: path) { throw .outputHoldsKey(path: path.name) }
            guard !results.contains(where: place.isSame) else { throw .usage("two results go to \(path.name): give each its own file") }
            results.append(place)
        }
    }

    private static func check(_ path: NamedPath, _ place: FilePlace, _ inputs: [NamedPath]) throws(CommandError) {
        for input in inputs {
            if place.isSame(as: FilePlace(input.location)) { throw .outputIsInput(path: path.name) }
            if place.isWithin(input.location) { throw .outputInFolder(path: path.name, folder: input.name) }
        }
    }
}
