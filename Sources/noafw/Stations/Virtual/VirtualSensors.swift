import VirtualDevices

/// What a person does with a virtual unit.
struct VirtualSensors: Sendable {
    var stimulate: @Sendable (UserInput) -> Void
    /// A WAV file's bytes, heard by the next recordings.
    var speak: @Sendable ([UInt8]) throws -> Void
    /// A JPEG file's bytes, seen by the next pictures.
    var show: @Sendable ([UInt8]) throws -> Void
    /// The lines on the display, from top to bottom. Untrusted text.
    var display: @Sendable () -> [String]
}

extension VirtualStation {
    /// Hands, voice and eyes for the unit.
    var sensors: VirtualSensors {
        let (unit, folder) = (unit, folder)
        return VirtualSensors(
            stimulate: { unit.stimulate($0) }, speak: { try folder.setMicrophone(wav: $0) }, show: { try folder.setCamera(jpeg: $0) },
            display: { VirtualDisplay.lines(of: folder.display).map(\.text) })
    }
}
