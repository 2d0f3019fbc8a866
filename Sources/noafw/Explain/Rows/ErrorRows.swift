// Written by: make errors

/// Each error of this version: code, exit code, message, cause, remedy, with tabs between them.
enum ErrorRows {
    static let all = [part1, part2, part3, part4]

    /// Codes of earlier versions, and what they are called now.
    static let merged = #"""
        BLZ-0031	BLZ-0030
        BLZ-0033	BLZ-0032
        BLZ-0040	BLE-0014
        BLZ-0042	BLE-0005
        BLZ-0048	BLZ-0010
        BLZ-0049	BLZ-0041
        BLZ-0050	BLZ-0027
        BLZ-0052	BLZ-0010
        BND-0014	NOA-0028
        DFU-1000	NOA-0066
        DFU-1001	NOA-0066
        DFU-1015	DFU-1012
        DFU-1017	DFU-1018
        DFU-1042	DFU-1041
        DFU-1048	DFU-1041
        DFU-1049	DFU-1041
        DFU-104A	DFU-1041
        FPGA-0006	REPL-0008
        FRM-0003	SCR-0008
        LED-0011	LED-0007
        REPL-0006	REPL-0003
        """#
}
