// Holds the process in the unit's folders, whatever a script may find in the interpreter: no other file, no program, no socket.
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
// Everything up to REFER, which a file needs to go from one folder to another.
#define HANDLED ((LANDLOCK_ACCESS_FS_REFER << 1) - 1)
#define ALLOWED (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR \
    | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR \
    | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REFER)

// Landlock as Linux 5.19 has it, or later; earlier ones let no file go from one folder to another.
static bool hold_files(const int *folders, size_t count) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 2) {
        return false;
    }
    uint64_t more = version >= 3 ? LANDLOCK_ACCESS_FS_TRUNCATE : 0;
    struct landlock_ruleset_attr rules = {.handled_access_fs = HANDLED | more};
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules.handled_access_fs), 0);
    bool holds = ruleset >= 0;
    for (size_t i = 0; holds && i < count; i++) {
        struct landlock_path_beneath_attr rule = {.allowed_access = ALLOWED | more, .parent_fd = folders[i]};
        holds = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    }
    holds = holds && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    if (ruleset >= 0) {
        close(ruleset);
    }
    return holds;
}

// The names of the calls are glibc's for the architecture that is compiled for. A filter that tests for one architecture and has
// the numbers of another would let everything through, so each pair is checked.
#if defined(__i386__)
#define OWN_ARCHITECTURE AUDIT_ARCH_I386
#define OWN_NAME "i386"
#define OWN_EXECVE 11
#elif defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#define OWN_NAME "x86_64"
#define OWN_EXECVE 59
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#define OWN_NAME "aarch64"
#define OWN_EXECVE 221
#else
#error "name this architecture and its number of execve here: without them the process is not held"
#endif
_Static_assert(SYS_execve == OWN_EXECVE, "the numbers of another architecture's system calls");

// A process that is only itself needs none of these.
static const int refused[] = {
    SYS_execve, SYS_execveat, SYS_clone, SYS_clone3, SYS_socket, SYS_connect, SYS_socketpair, SYS_ptrace, SYS_process_vm_writev,
    SYS_kill, SYS_tkill, SYS_mount, SYS_unshare, SYS_setns, SYS_io_uring_setup, SYS_bpf, SYS_open_by_handle_at,
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
#ifdef SYS_socketcall
    SYS_socketcall,
#endif
};
#define REFUSED_COUNT (sizeof(refused) / sizeof(refused[0]))

static bool hold_calls(void) {
    struct sock_filter program[REFUSED_COUNT + 6];
    size_t end = 0;
    // The distance to the last instruction, which refuses.
    #define TO_THE_END(at) ((uint8_t)(REFUSED_COUNT + 5 - 1 - (at)))
    program[end++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    program[end++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 0, TO_THE_END(1));
    program[end++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    // The numbers of x32 lie above.
    program[end++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, TO_THE_END(3), 0);
    for (size_t i = 0; i < REFUSED_COUNT; i++, end++) {
        program[end] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], TO_THE_END(end), 0);
    }
    program[end++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[end++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog filter = {.len = (unsigned short)end, .filter = program};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

// What the kernel does not offer is left out: the modules offer none of it either.
void unit_confine(const int *folders, size_t count) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        hold_files(folders, count);
        hold_calls();
    }
}

int unit_show_confinement(const char *folder) {
    int own = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own < 0) {
        perror(folder);
        return 66;
    }
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    printf("architecture %s\nlandlock %ld\n", OWN_NAME, version < 0 ? 0 : version);
    unit_confine(&own, 1);
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    printf("files %s\n", file < 0 ? "held" : "free");
    int socket_end = socket(AF_INET, SOCK_STREAM, 0);
    printf("sockets %s\n", socket_end < 0 ? "held" : "free");
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    // It prints this text where it starts.
    printf("processes %s\nprograms ", child < 0 ? "held" : "free");
    fflush(stdout);
    execl("/bin/echo", "echo", "free", (char *)NULL);
    printf("held\n");
    int made = openat(own, "confined.tmp", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    printf("own files %s\n", made >= 0 && unlinkat(own, "confined.tmp", 0) == 0 ? "free" : "held");
    return 0;
}
