/// What the verbs have done for them. The program passes ``LiveServices``, a test something else.
typealias Services = FlashService & VerifyService & RescueService & ScanService & DoctorService & ChatService & ConsoleService
    & BondService & FleetService & LineService
