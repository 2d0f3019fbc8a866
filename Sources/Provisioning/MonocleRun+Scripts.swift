import ScriptBundle

extension MonocleRun {
    func updateScripts(_ visit: inout MonocleVisit, _ record: inout RunRecord) async throws {
        guard options.parts.contains(.scripts), let scripts = assets.scripts else { return }
        let session = try await visit.session()
        record.begin(.scripts)
        let installer = ScriptInstaller(repl: session.repl, scripts: scripts)
        let version = try await ScriptInstaller.installedVersion(session.repl)
        let differences = try await installer.deepCheck()
        try refuseShadows(among: differences, &record)
        let isForced = record.isForced(.scripts, options)
        if version == scripts.version, differences.allSatisfy(\.isHarmless), !isForced {
            return record.current(.scripts, version: scripts.version, bytes: scripts.files.reduce(0) { $0 + $1.bytes.count })
        }
        if options.dryRun { return record.planned(.scripts, from: version, to: scripts.version) }
        record.start(.scripts, from: version)
        visit.conduct.beginChanging(.scripts)
        let outcome = try await installer.install(force: isForced) { event in
            switch event {
            case .uploading(let done, let total): record.progress(done, of: total)
            case .notice(let text): record.notice(text)
            }
        }
        visit.conduct.endChanging(.scripts)
        record.updated(.scripts, to: scripts.version, bytes: outcome.bytesSent)
    }

    /// Files of other names are people's own and stay; what would be loaded in the place of the set is for them to remove.
    private func refuseShadows(among differences: [ScriptDifference], _ record: inout RunRecord) throws {
        let shadows = differences.compactMap(\.shadow)
        guard shadows.isEmpty else { throw ScriptError.shadowed(shadows) }
        let extras = differences.compactMap { if case .extra(let name) = $0 { name } else { nil } }
        if !extras.isEmpty { record.notice("left alone on the unit: \(extras.prefix(8).joined(separator: ", "))") }
    }

    /// Asks the unit for everything once more, starts its program and waits for a sign of it.
    func prove(_ visit: inout MonocleVisit, _ record: inout RunRecord) async throws {
        record.begin(.proof)
        let session = try await visit.session()
        if record.hasChanged {
            let identity = try await session.identity(address: radio.address)
            record.proved(identity)
            try check(identity)
        }
        if options.parts.contains(.scripts), !options.dryRun, let scripts = assets.scripts {
            record.lives(try await session.proveProgram(of: scripts))
        } else {
            try await session.startProgram()
        }
        record.complete()
    }

    private func check(_ identity: UnitIdentity) throws {
        let wanted: [(Part, String?, String?)] = [
            (.firmware, assets.firmware?.version, identity.firmware), (.fpga, assets.fpga?.version, identity.fpga),
            (.scripts, assets.scripts?.version, identity.scripts),
        ]
        for (part, expected, actual) in wanted where options.parts.contains(part) {
            if let expected, expected != actual {
                throw ProvisioningError.wrongVersion(part, expected: expected, actual: actual)
            }
        }
    }
}

extension ScriptDifference {
    /// Files that nothing loads do no harm: people keep their own on a unit.
    var isHarmless: Bool { if case .extra = self { true } else { false } }
    /// The name of what has to go before the scripts can be proved.
    var shadow: String? { if case .shadow(let name) = self { name } else { nil } }
}
