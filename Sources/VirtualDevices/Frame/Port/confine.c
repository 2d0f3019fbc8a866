// Holds the process to its memory and its wire, whatever a program may find in Lua, compiled code included: no file, no program, no
// socket.
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

// A filter that tests for one architecture and has the numbers of another would let everything through, so each pair is checked.
#if defined(__x86_64__) && !defined(__ILP32__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#define OWN_EXECVE 59
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#define OWN_EXECVE 221
#else
#error "name this architecture and its number of execve here: without them the process is not held"
#endif
_Static_assert(SYS_execve == OWN_EXECVE, "the numbers of another architecture's system calls");

// What memory, the wire, the limit of a turn and an end need.
static const int allowed[] = {
    SYS_read, SYS_write, SYS_exit, SYS_exit_group, SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_madvise, SYS_rt_sigreturn,
    SYS_setitimer, SYS_clock_gettime, SYS_gettimeofday, SYS_futex,
#ifdef SYS_time
    SYS_time,
#endif
};
#define COUNT (sizeof(allowed) / sizeof(allowed[0]))

bool unit_confine(void) {
    struct sock_filter program[COUNT + 6];
    size_t end = 0;
    program[end++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    program[end++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
    program[end++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    program[end++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < COUNT; i++, end++) {
        program[end] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], (uint8_t)(COUNT - i), 0);
    }
    program[end++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    program[end++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {.len = (unsigned short)end, .filter = program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

int unit_show_confinement(void) {
    bool is_confined = unit_confine();
    bool is_open = open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0;
    bool is_linked = socket(AF_INET, SOCK_STREAM, 0) >= 0;
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    char text[128];
    int length = snprintf(
        text, sizeof(text), "filter %s\nfiles %s\nsockets %s\nprocesses %s\n", is_confined ? "set" : "missing", is_open ? "free" : "held",
        is_linked ? "free" : "held", child >= 0 ? "free" : "held");
    return write(STDOUT_FILENO, text, (size_t)length) == length ? 0 : 74;
}
