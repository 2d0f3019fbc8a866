import Bluetooth
import FrameFamily
import MonocleFamily
import Support
import Testing

@testable import Provisioning

@Suite struct UnitMatcherTests {
    static let first = DeviceAddress("D3:5A:00:11:22:33")!
    static let second = DeviceAddress("E1:00:00:00:00:FF")!

    static func unit(
        _ address: DeviceAddress, _ family: FamilyID = .monocle, _ mode: UnitMode = .application, rssi: Int = -50,
        name: String = "monocle"
    ) -> DiscoveredUnit {
        DiscoveredUnit(
            family: family, mode: mode, advertisedAddress: mode == .application ? address : address.bootloader, name: name,
            rssi: rssi)
    }

    private func decide(
        _ wish: UnitSelector, _ units: [DiscoveredUnit], known: Set<DeviceAddress> = []
    ) -> Result<DiscoveredUnit, UnitSelectionError> {
        var gate = UnitMatcher(selector: wish, families: [.monocle], known: known)
        return Result { () throws(UnitSelectionError) in try gate.decide(units) }
    }

    @Test func onlyTakesTheOnlyOne() {
        let one = Self.unit(Self.first)
        let other = Self.unit(Self.second, rssi: -90)
        #expect(decide(.only, [one]) == .success(one))
        #expect(decide(.only, []) == .failure(.none))
        #expect(decide(.only, [one, other]) == .failure(.several([one, other])))
    }

    @Test func framesDoNotStandInTheWay() {
        let frame = Self.unit(Self.second, .frame, name: "Frame FF")
        let one = Self.unit(Self.first)
        #expect(decide(.only, [frame, one]) == .success(one))
        #expect(decide(.only, [frame]) == .failure(.otherFamily(frame)))
    }

    @Test func anotherFamilyAtTheAddressIsNotTaken() {
        let frame = Self.unit(Self.first, .frame, name: "Frame FF")
        #expect(decide(.address(Self.first), [frame]) == .failure(.otherFamily(frame)))
    }

    /// Any Nordic device calls its bootloader DfuTarg.
    @Test func aStrangersBootloaderIsNotTaken() {
        let stranded = Self.unit(Self.first, .monocle, .bootloader, name: "DfuTarg")
        #expect(decide(.only, [stranded]) == .failure(.unknownBootloader(stranded)))
        #expect(decide(.only, [stranded], known: [Self.first]) == .success(stranded))
        #expect(decide(.only, [stranded], known: [Self.first.bootloader]) == .failure(.unknownBootloader(stranded)))
        #expect(decide(.address(Self.first), [stranded]) == .success(stranded))
        #expect(decide(.address(Self.first.bootloader), [stranded]) == .success(stranded))
    }

    /// The neighbour's application may have the address of this one's bootloader.
    @Test func anApplicationsAddressOutranksABootloaders() {
        let stranded = Self.unit(Self.first, .monocle, .bootloader, name: "DfuTarg")
        let neighbour = Self.unit(Self.first.bootloader, rssi: -80)
        #expect(decide(.address(Self.first.bootloader), [stranded, neighbour]) == .success(neighbour))
        #expect(decide(.address(Self.first), [stranded, neighbour]) == .success(stranded))
    }

    @Test func namesMustBeUnique() {
        let one = Self.unit(Self.first)
        let other = Self.unit(Self.second)
        #expect(decide(.name("monocle"), [one]) == .success(one))
        #expect(decide(.name("monocle"), [one, other]) == .failure(.several([one, other])))
        #expect(decide(.name("mono"), [one]) == .failure(.noneWithName("mono", inReach: [one])))
    }

    @Test(arguments: [(-65, true), (-66, false), (-20, true)])
    func nearestAsksFor65(rssi: Int, isOffered: Bool) {
        let one = Self.unit(Self.first, rssi: rssi)
        #expect(decide(.nearest, [one]) == (isOffered ? .success(one) : .failure(.noneNear([one]))))
    }

    @Test func theOfferStandsDownTo85() throws {
        var gate = UnitMatcher(selector: .nearest, families: [.monocle], known: [])
        _ = try gate.decide([Self.unit(Self.first, rssi: -60)])
        _ = try gate.decide([Self.unit(Self.first, rssi: -84)])
        #expect(throws: UnitSelectionError.self) { try gate.decide([Self.unit(Self.first, rssi: -86)]) }
        #expect(throws: UnitSelectionError.self) { try gate.decide([Self.unit(Self.first, rssi: -84)]) }
        _ = try gate.decide([Self.unit(Self.first, rssi: -64)])
        #expect(throws: UnitSelectionError.self) { try gate.decide([]) }
        #expect(throws: UnitSelectionError.self) { try gate.decide([Self.unit(Self.first, rssi: -70)]) }
    }

    @Test(arguments: [(-55, false), (-56, true)])
    func twoEquallyNearOnesAreNotGuessed(rival: Int, isDecided: Bool) {
        let one = Self.unit(Self.first, rssi: -50)
        let other = Self.unit(Self.second, rssi: rival)
        #expect(decide(.nearest, [one, other]) == (isDecided ? .success(one) : .failure(.several([one, other]))))
    }

    @Test(arguments: [
        ("monocle", [], FamilyID.monocle, UnitMode.application), ("DfuTarg", [], .monocle, .bootloader),
        ("Frame Update", [], .frame, .bootloader), ("Frame D3", [], .frame, .application),
        ("?", ["e5700001-7bac-429a-b4ce-57ff900f479d"], .monocle, .application),
        ("?", ["7a230001-5475-a6a4-654c-8431f6ad49c4"], .frame, .application),
    ])
    func glassesAreRecognised(name: String, services: [String], family: FamilyID, mode: UnitMode) {
        let advertisement = Advertisement(
            address: Self.first, name: name, services: Set(services.map { AttributeID($0) }), rssi: -40)
        let unit = TestFamilies.all.recognise(advertisement)
        #expect(unit?.family == family && unit?.mode == mode)
        #expect(unit?.address == (mode == .application ? Self.first : Self.first.application))
    }

    @Test(arguments: ["", "Monocle", "Frame", "Frame D", "Frame 33", "Frame d3", "Frame D3 2", "headphones"])
    func othersAreNot(name: String) {
        let services: Set<AttributeID> = [AttributeID("fe59"), AttributeID("6e400001-b5a3-f393-e0a9-e50e24dcca9e")]
        #expect(TestFamilies.all.recognise(Advertisement(address: Self.first, name: name, services: services, rssi: -40)) == nil)
    }

    @Test func everyErrorListsWhoIsInReach() {
        let units = [Self.unit(Self.first), Self.unit(Self.second, .frame, .bootloader, rssi: -77)]
        let errors: [UnitSelectionError] = [
            .several(units), .noneNear(units), .noneWithName("x", inReach: units), .noneAtAddress(Self.first, inReach: units),
        ]
        for error in errors {
            #expect(error.diagnosis.message.contains("\(Self.first) (monocle, -50 dBm)"))
            #expect(error.diagnosis.message.contains("\(Self.second) (frame in its bootloader, -77 dBm)"))
            #expect(error.diagnosis.category == .unavailable)
        }
        let codes = Set((errors + [.none, .otherFamily(units[0]), .unknownBootloader(units[1])]).map(\.diagnosis.code))
        #expect(codes.count == 7)
    }
}
