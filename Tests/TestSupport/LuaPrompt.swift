import Bluetooth
import Foundation
import Glibc
import Support
import Synchronization

/// A unit's Lua prompt in a few lines, written from the facts: real Lua in a process, one place for a waiting command, and a
/// program that is played. It answers at once; a test says what is lost.
package final class LuaPrompt: Connection, WriteChannel, Sendable {
    package struct State {
        var process: TestProcess?
        var input: FileHandle?
        var output: FileHandle?
        package var runs = false
        var waiting: [UInt8]?
        /// Everything that was written, in order.
        package var writes: [[UInt8]] = []
        package var notificationCount = 0
        package var subscriptions = 0
        /// So many breaks a program survives.
        package var swallowedBreaks = 0
        package var isGone = false
        /// A channel is open.
        var isAcquired = false
        package var isUpdating = false
        package var starts = 0
    }

    /// What becomes of one write without response or notification, by its number from 0.
    package typealias Fault = @Sendable (Int, [UInt8]) -> [UInt8]?

    package let address: DeviceAddress
    package let payloadSize: Int
    package let isNewlyBonded: Bool
    private let isHalo: Bool
    package let folder: URL
    package let state = Mutex(State())
    private let quota: Int
    private let notifications = Inbox<[UInt8]>(capacity: 100_000)
    private let writeFault: Fault
    private let notificationFault: Fault

    /// - Parameters:
    ///   - folder: the unit's files.
    ///   - quota: bytes that all files together may have.
    package init(
        folder: URL, payloadSize: Int = 244, quota: Int = 200_000, isNewlyBonded: Bool = false, isHalo: Bool = false,
        runsProgram: Bool = false,
        address: DeviceAddress = DeviceAddress(octets: [0xC0, 0, 0, 0, 0, 1])!, writeFault: @escaping Fault = { $1 },
        notificationFault: @escaping Fault = { $1 }
    ) throws {
        self.folder = folder
        self.payloadSize = payloadSize
        self.quota = quota
        self.isNewlyBonded = isNewlyBonded
        self.isHalo = isHalo
        self.address = address
        self.writeFault = writeFault
        self.notificationFault = notificationFault
        try state.withLock { state in
            try restart(&state)
            state.runs = runsProgram
        }
    }

    package var clock: SessionClock { .continuous }

    package func say(_ bytes: [UInt8]) { state.withLock { notify(bytes, &$0) } }

    /// A power cut: what was not closed is lost.
    package func cut() { state.withLock { end(&$0) } }

    private func end(_ state: inout State) {
        state.isGone = true
        try? state.input?.close()
        state.process?.signal(SIGTERM)
        state.process?.waitUntilExit()
        notifications.finish(throwing: LinkError.disconnected("the unit has gone"))
    }

    // MARK: - The link

    package func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        guard state.withLock({ !$0.isAcquired }) else { throw LinkError.acquired(characteristic, .write) }
        try write(value) { $1 }
    }

    package func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws { try write(packet, writeFault) }

    private func write(_ packet: [UInt8], _ fault: Fault) throws {
        guard packet.count <= payloadSize else { throw LinkError.valueTooLong(count: packet.count, limit: payloadSize) }
        try state.withLock { state in
            guard !state.isGone else { throw LinkError.disconnected("the unit has gone") }
            state.writes.append(packet)
            guard let packet = fault(state.writes.count - 1, packet) else { return }
            guard !state.isGone else { throw LinkError.disconnected("the unit has gone") }
            try receive(packet, &state)
        }
    }

    /// The fourth characteristic is Halo's, and takes writes alone.
    package func offers(_ characteristic: AttributeID) -> Bool {
        ["7a230002", "7a230003"].contains { characteristic.description.hasPrefix($0) }
            || (isHalo && characteristic.description.hasPrefix("7a230005"))
    }

    package func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
        state.withLock { $0.isAcquired = true }
        return self
    }

    package func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        guard offers(characteristic) else { throw LinkError.characteristicMissing(characteristic) }
        guard characteristic.description.hasPrefix("7a230003") else { throw LinkError.notAllowed(characteristic, .subscription) }
        state.withLock { $0.subscriptions += 1 }
        return notifications
    }

    package func close() async { state.withLock { $0.isAcquired = false } }
    package func disconnect() async { cut() }
    package func waitUntilGone(deadline: SessionClock.Instant) async throws {
        guard state.withLock({ $0.isUpdating || $0.isGone }) else { throw LinkError.timedOut("the end of the link") }
    }

    // MARK: - The prompt

    private func receive(_ packet: [UInt8], _ state: inout State) throws {
        switch packet.first {
        case 0x01: if state.runs, packet == [0x01, 0x17] { tellVersion(&state) }
        case 0x03 where state.runs && state.swallowedBreaks > 0: state.swallowedBreaks -= 1
        case 0x03 where state.runs:
            state.runs = false
            notify(Array((Self.mainError + "exiting module 'main': [string \"main.lua\"]:1: break signal").utf8), &state)
            let waiting = state.waiting
            state.waiting = nil
            if let waiting { try run(waiting, &state) }
        case 0x03: break
        case _ where state.runs: state.waiting = packet
        case 0x04: try start(&state)
        case _: try run(packet, &state)
        }
    }

    private static let mainError = "[string \"frame.stay_awake(false); require('main')\"]:1: "

    private func start(_ state: inout State) throws {
        try restart(&state)
        state.starts += 1
        guard let main = main() else { return notify(Array((Self.mainError + "cannot open file: main.lua").utf8), &state) }
        if main.contains("error(") {
            return notify(Array((Self.mainError + "exiting module 'main': [string \"main.lua\"]:2: bad").utf8), &state)
        }
        state.runs = !main.contains("-- ends")
        if main.contains("-- tells") { tellVersion(&state) }
    }

    private func main() -> String? {
        (try? Data(contentsOf: folder.appendingPathComponent("main.lua"))).map { String(decoding: $0, as: UTF8.self) }
    }

    private func tellVersion(_ state: inout State) {
        guard let main = main(), main.contains("\\x18"), let quoted = main.split(separator: "\"").dropFirst().first else { return }
        notify([0x01, 0x18] + Array(quoted.utf8), &state)
    }

    private func run(_ code: [UInt8], _ state: inout State) throws {
        guard let input = state.input, let output = state.output else { return }
        try input.write(contentsOf: Data(withUnsafeBytes(of: UInt32(code.count).littleEndian, Array.init) + code))
        while let kind = try output.read(upToCount: 1)?.first {
            switch kind {
            case UInt8(ascii: "N"):
                let count = try Self.read(4, from: output).reversed().reduce(0) { $0 << 8 | Int($1) }
                notify(try Self.read(count, from: output), &state)
            case UInt8(ascii: "U"):
                state.isUpdating = true
                return end(&state)
            case _: return
            }
        }
    }

    private static func read(_ count: Int, from output: FileHandle) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let more = try output.read(upToCount: count - bytes.count), !more.isEmpty { bytes += more }
        return bytes
    }

    private func notify(_ bytes: [UInt8], _ state: inout State) {
        state.notificationCount += 1
        if let bytes = notificationFault(state.notificationCount - 1, Array(bytes.prefix(payloadSize))) { notifications.deliver(bytes) }
    }

    private func restart(_ state: inout State) throws {
        if let old = state.process {
            try? state.input?.close()
            old.waitUntilExit()
        }
        let (input, output) = (Pipe(), Pipe())
        let process = try TestProcess(
            URL(fileURLWithPath: try TestTools.require(TestTools.lua, "lua5.4")), ["-e", Self.program],
            environment: ["FILES": folder.path(percentEncoded: false), "QUOTA": "\(quota)", "PATH": "/usr/bin:/bin"],
            input: .pipe(input), output: .pipe(output))
        (state.process, state.input, state.output, state.runs) = (process, input.fileHandleForWriting, output.fileHandleForReading, false)
    }

    deinit {
        state.withLock { state in
            try? state.input?.close()
            state.process?.waitUntilExit()
        }
    }

    /// `read` gives up to 512 bytes or a line without its end; what is written is there once it is closed.
    private static let program = """
        local io,os,out,root=io,os,io.stdout,os.getenv("FILES").."/"
        local quota=tonumber(os.getenv("QUOTA"))
        local function slurp(p)local f=io.open(root..p,"rb")if not f then return end local s=f:read("a")f:close()return s end
        local function spill(p,s)local f=assert(io.open(root..p,"wb"))f:write(s)f:close()end
        local function list()local r={}for n in io.popen("ls -A '"..root.."'"):lines()do r[#r+1]=n end return r end
        local function used()local n=0 for _,p in ipairs(list())do n=n+#(slurp(p)or"")end return n end
        local File={}
        File.__index=File
        function File:read()
        assert(self.s,"attempt to use a closed file")
        local rest=self.s:sub(self.at)
        local s=rest:sub(1,512):match("^[^\\n]*")
        if rest==""then return self.s:sub(-1)=="\\n"and""or nil end
        self.at=self.at+#s+((#s<512 and rest:sub(#s+1,#s+1)=="\\n")and 1 or 0)
        return s
        end
        function File:write(s)
        if not self.s then error("attempt to use a closed file")end
        if used()+#self.s+#s>quota or#self.s+#s>65536 then error("error writing to file")end
        self.s=self.s..s
        end
        function File:close()
        if not self.s then error("attempt to use a closed file")end
        if self.w then spill(self.p,self.s)end
        self.s=nil
        end
        local function emit(s)out:write("N",string.pack("<I4",#s),s)end
        frame={FIRMWARE_VERSION="v25.080.0838",HARDWARE_VERSION="Frame",
        bluetooth={receive_callback=function()end,is_connected=function()return true end,max_length=function()return 243 end},
        imu={tap_callback=function()end},microphone={stop=function()end},sleep=function()end,stay_awake=function()end,
        battery_level=function()return 53.0 end,update=function()out:write("U")out:flush()os.exit()end,
        file={
        open=function(p,m)
        m=(m or"r"):sub(1,1)
        local s=slurp(p)
        if m=="r"and not s then error("cannot open file "..p)end
        if m~="r"and(m=="w"or not s)then spill(p,m=="w"and s or"")end
        return setmetatable({p=p,s=m=="w"and""or s or"",at=1,w=m~="r"},File)
        end,
        remove=function(p)if not os.remove(root..p)then error("error deleting file/directory")end end,
        rename=function(a,b)if not os.rename(root..a,root..b)then error("error renaming file/directory")end end,
        listdir=function()
        local r={{name=".",type=2,size=0},{name="..",type=2,size=0}}
        for _,n in ipairs(list())do local s=slurp(n)r[#r+1]={name=n,type=s and 1 or 2,size=s and#s or 0}end
        return r
        end}}
        function print(...)for i,v in ipairs{...}do if i>1 then emit("\\t")end emit(tostring(v))end end
        -- The firmware's functions are C.
        string.dump=function()error("unable to dump given function")end
        local input,keep=io.stdin,{load=load,pcall=pcall,error=error,unpack=string.unpack}
        _G.io,_G.os,_G.package,_G.require=nil,nil,nil,nil
        while true do
        local head=input:read(4)
        if not head then break end
        local code=input:read((keep.unpack("<I4",head)))
        local f,e=keep.load((code:match("^[^\\0]*")))
        if f then local ok,p=keep.pcall(f)if not ok then e=p end end
        if e then emit(tostring(e))end
        out:write("E")
        out:flush()
        end
        """
}
