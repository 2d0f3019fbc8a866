import Assistant
import Bluetooth
import Support

extension ChatSession {
    /// Over links that a test's air makes.
    init(
        central: any Central, address: DeviceAddress, relay: any AppRelay, responder: any Responder, options: ChatOptions = ChatOptions(),
        startProgram: @escaping ProgramStarter
    ) {
        self.init(
            clock: central.clock, connect: { try await central.connect(to: address, security: relay.security, deadline: $0) }, relay: relay,
            responder: responder, options: options, startProgram: startProgram)
    }
}
