import Bluetooth
import Foundation
import Ledger
import MonocleFamily
import Provisioning
import Support
import TestSupport
import Testing

@testable import noafw

/// What a chat leaves in the ledger.
@Suite struct ChatRecordTests {
    @Test(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
    func whatJudgesOrChangesTheUnitIsRecorded() async throws {
        let folder = try TemporaryFolder()
        let ledger = FakeLedger()
        let services = LiveServices(ledger: { _ in ledger })
        var records = RecordInputs()
        (records.station, records.operatorName) = ("line-7", "anna")
        let unit = UnitSelection(units: .virtual([VirtualUnitName(family: .monocle, name: "chat")], .maximum))
        let search = AssetSearch(
            given: TestTools.root.path, environment: ProcessInfo.processInfo.environment, currentDirectory: TestTools.root.path,
            executable: nil)
        let preparation = ChatRequest(
            unit: unit, inputs: AssetInputs(search: search), stateFolder: folder.url.path, records: records)
        _ = try await services.withChatUnit(preparation, notice: { _ in }) { unit in
            let compared = try await unit.compareVersions { _ in }
            #expect(!compared.report.passed)
            #expect(ledger.records.map(\.code) == ["NOA-0013"], "closed before anybody is asked")
            let updated = try await unit.update([.scripts]) { _ in }
            #expect(updated.passed)
            return ChatVerdict()
        }
        #expect(ledger.records.map(\.verb) == ["chat", "chat"] && ledger.records.map(\.outcome) == [.fail, .pass])
        #expect(ledger.records.allSatisfy { $0.station == "line-7" && $0.operatorName == "anna" && !$0.isOpen })
        #expect(ledger.records[0].digests.isEmpty && Array(ledger.records[1].digests.keys) == ["scripts"] && ledger.records[1].plan != nil)
    }

    @Test(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
    func noUnitIsTalkedToWithoutARecordOfItsVersions() async throws {
        let folder = try TemporaryFolder()
        let services = LiveServices(ledger: { _ in FakeLedger(beginFails: true) })
        let unit = UnitSelection(units: .virtual([VirtualUnitName(family: .monocle, name: "chat")], .maximum))
        let search = AssetSearch(
            given: TestTools.root.path, environment: ProcessInfo.processInfo.environment, currentDirectory: TestTools.root.path,
            executable: nil)
        let preparation = ChatRequest(unit: unit, inputs: AssetInputs(search: search), stateFolder: folder.url.path)
        await #expect(throws: FakeLedger.refusal) {
            try await services.withChatUnit(preparation, notice: { _ in }) { unit in
                _ = try await unit.compareVersions { _ in }
                return ChatVerdict()
            }
        }
    }

    /// The terminal belongs to the person who types there.
    @Test func noticesWaitForTheEndOfAConversation() async throws {
        let told = Inbox<String>()
        let notices = HeldNotices { told.deliver($0) }
        notices.tell("a")
        #expect(told.poll() == "a")
        await notices.during {
            notices.tell("b")
            #expect(told.poll() == nil)
        }
        notices.tell("c")
        #expect(told.poll() == "b" && told.poll() == "c")
    }
}
