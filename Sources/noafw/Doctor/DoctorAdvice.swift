/// What to do first with this machine.
struct DoctorAdvice {
    /// Whatever stands before is the cause of what stands behind.
    private static let order = ["bus", "bluetoothd", "rfkill", "adapter", "state", "catalogue", "clients", "link", "remembered"]

    let checks: [DoctorCheck]

    init(_ checks: [DoctorCheck]) { self.checks = checks }

    private func worst(_ status: DoctorCheck.Status) -> DoctorCheck? {
        let found = checks.filter { $0.status == status && $0.fix != nil }
        return Self.order.lazy.compactMap { name in found.first { $0.name == name } }.first
    }

    /// In one sentence.
    var first: String {
        if let failed = worst(.fail), let fix = failed.fix { return "\(failed.name): \(fix); then run noafw doctor again" }
        if let careful = worst(.warn), let fix = careful.fix { return "\(careful.name): \(fix); or go on with noafw scan" }
        return "this machine is ready: wake a unit, then run noafw scan"
    }

    /// What works as long as there is no radio.
    private var meanwhile: String? {
        guard worst(.fail) != nil else { return nil }
        let works = checks.first { $0.name.hasPrefix("virtual-") && $0.status == .ok }?.name.dropFirst("virtual-".count)
        return works.map { "without a radio, noafw flash --virtual \($0) shows how it works" }
    }

    func lines(_ style: TextStyle) -> [String] {
        let texts = [("first", first)] + (meanwhile.map { [("else", $0)] } ?? [])
        return [""] + texts.flatMap { word, text in
            DisplayWidth.hang("\(word.padded(to: 5)) \(UntrustedText.escape(text, limit: UntrustedText.noticeLimit))",
                lead: 6, indent: 6, columns: style.columns)
        }
    }
}
