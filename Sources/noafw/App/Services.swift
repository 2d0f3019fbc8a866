/// What the verbs have done for them. The program passes ``LiveServices``, a test something else.
typealias Services = FleetService & RescueService & ScanService & DoctorService & ChatService & ConsoleService
    & BondService & LineService
