import Bluetooth
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Provisioning

/// A lock that is taken closes nothing of others: a class whose `init` throws after its last property is set is deinitialised, too.
@Suite struct UnitLockTests {
    @Test func aRefusedLockClosesItsDescriptorOnce() throws {
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: folder.path("units.lock"))
        let held = try UnitLock(file: file, holder: "this")
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
            #expect(throws: LinkError.self) { try UnitLock(file: file, holder: "this") }
        }
        isOver.store(true, ordering: .relaxed)
        while !other.isFinished { sched_yield() }
        #expect(lost.withLock(\.self) == 0)
        withExtendedLifetime(held) {}
    }
}
