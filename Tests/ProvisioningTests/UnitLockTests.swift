import Bluetooth
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Provisioning
@testable import VirtualDevices

/// A lock that is taken closes nothing of others: a class whose `init` throws after its last property is set is deinitialised, too.
@Suite struct UnitLockTests {
    @Test func aRefusedLockClosesItsDescriptorOnce() throws {
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: folder.path("units.lock"))
        let held = try Provisioning.UnitLock(file: file, holder: "this")
        let isOver = Atomic<Bool>(false)
        let lost = Mutex(0)
        let other = Thread {
            while !isOver.load(ordering: .relaxed) {
                let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
                for _ in 0..<20 where fcntl(descriptor, F_GETFD) < 0 { lost.withLock { $0 += 1 } }
                if close(descriptor) != 0 { lost.withLock { $0 += 1 } }
            }
        }
        other.start()
        for _ in 0..<50_000 {
            #expect(throws: LinkError.self) { try Provisioning.UnitLock(file: file, holder: "this") }
        }
        isOver.store(true, ordering: .relaxed)
        while !other.isFinished { sched_yield() }
        #expect(lost.withLock(\.self) == 0)
        withExtendedLifetime(held) {}
    }

    /// A process that another thread starts has a copy of every descriptor until it begins its program.
    @Test func aReleasedLockIsFreeAlthoughAChildStillHasItsDescriptor() throws {
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: folder.path("units.lock"))
        var copy: Int32 = -1
        func holdAndCopy(_ lock: () throws -> AnyObject) rethrows {
            let held = try lock()
            for descriptor in Int32(3)..<1024 where Self.path(of: descriptor) == file.path { copy = dup(descriptor) }
            withExtendedLifetime(held) {}
        }
        let locks: [() throws -> AnyObject] = [
            { try Provisioning.UnitLock(file: file, holder: "this") }, { try VirtualDevices.UnitLock(file: file) },
        ]
        for lock in locks {
            try holdAndCopy(lock)
            try #require(copy >= 0)
            #expect(throws: Never.self) { try holdAndCopy(lock) }
            close(copy)
        }
    }

    private static func path(of descriptor: Int32) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    }
}
