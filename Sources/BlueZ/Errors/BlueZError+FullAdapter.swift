extension BlueZError {
    /// An adapter that holds as many links as it can may refuse the next one so. While it holds none, each is an ordinary failure.
    ///
    /// Nobody can ask for the limit, and each firmware has its own answer to one link too many (HCI status, then the kernel's errno in
    /// net/bluetooth/lib.c, then bluetoothd's text in src/error.c): 0x09 and 0x0a, EMLINK, `concurrent-connection-limit`; 0x0d,
    /// ECONNREFUSED, `refused`; 0x0c, EBUSY, `busy`; 0x07, ENOMEM, `memory-allocation`; an LL code, EPROTO,
    /// `link-layer-protocol-error`. Or the device's object is gone.
    var mayMeanFullAdapter: Bool {
        switch self {
        case .linkLimit, .attemptRefused, .controllerBusy, .linkProtocolError, .doesNotExist: true
        default: false
        }
    }
}
