// Errors, clock and connection are part of this module's interface, so whoever imports REPL may use their members too.
@_exported import Bluetooth
