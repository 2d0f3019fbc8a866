// Counts what a process does to files, and harms it at a chosen moment. Loaded into the process by LD_PRELOAD.
//
//   STORM_PROGRAM  the short name of the process that is counted; its children are not
//   STORM_FOLDER   only files below this folder count
//   STORM_FAULT    kill | stop | full, or nothing
//   STORM_AT       the number of the file operation at which that happens, from 1; `full` holds from there on
//   STORM_COUNT    a file that gets one line for each operation, with its name and path
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state; // 0 unknown, 1 counts, 2 does not
static long count, at;
static char fault;
static const char *folder, *log_path;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void begin(void) {
    const char *program = getenv("STORM_PROGRAM");
    state = program && !strcmp(program, program_invocation_short_name) ? 1 : 2;
    folder = getenv("STORM_FOLDER");
    log_path = getenv("STORM_COUNT");
    const char *kind = getenv("STORM_FAULT"), *number = getenv("STORM_AT");
    fault = kind ? kind[0] : 0;
    at = number ? atol(number) : 0;
    if (!folder) state = 2;
}

static int is_below(const char *path) {
    size_t length = strlen(folder);
    return path && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

// Whether the operation fails. It has not happened yet.
static int harm(const char *name, const char *path) {
    int kept = errno, fails = 0;
    pthread_mutex_lock(&lock);
    if (!state) begin();
    if (state == 1 && is_below(path)) {
        count++;
        if (log_path) {
            char line[PATH_MAX + 64];
            int length = snprintf(line, sizeof line, "%ld %s %s\n", count, name, path + strlen(folder));
            int file = NEXT(open)(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
            if (file >= 0) {
                if (NEXT(write)(file, line, (size_t)length) < 0) abort();
                NEXT(close)(file);
            }
        }
        if (fault == 'k' && count == at) {
            kill(getpid(), SIGKILL);
            pause();
        }
        if (fault == 's' && count == at) kill(getpid(), SIGINT);
        // What makes room or only closes goes on on a full disk.
        fails = fault == 'f' && count >= at && strcmp(name, "unlink") && strcmp(name, "rename") && strcmp(name, "sync");
    }
    pthread_mutex_unlock(&lock);
    errno = fails ? ENOSPC : kept;
    return fails;
}

static const char *name_of(int file, char *buffer) {
    char link[64];
    struct stat status;
    if (fstat(file, &status) || !S_ISREG(status.st_mode)) return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, buffer, PATH_MAX - 1);
    if (length < 0) return NULL;
    buffer[length] = 0;
    return buffer;
}

static int harm_file(const char *name, int file) {
    char buffer[PATH_MAX];
    int kept = errno;
    const char *path = name_of(file, buffer);
    errno = kept;
    return path && harm(name, path);
}

static const char *absolute(int directory, const char *path, char *buffer) {
    if (path[0] == '/') return path;
    char base[PATH_MAX], link[64];
    snprintf(link, sizeof link, directory == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, base, sizeof base - 1);
    if (length < 0) return path;
    base[length] = 0;
    snprintf(buffer, PATH_MAX * 2, "%s/%s", base, path);
    return buffer;
}

static int harm_path(const char *name, int directory, const char *path) {
    char buffer[PATH_MAX * 2];
    return harm(name, absolute(directory, path, buffer));
}

#define MODE(flags, last) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { va_list list; va_start(list, last); mode = va_arg(list, mode_t); va_end(list); }

#define OPEN(function) \
    int function(const char *path, int flags, ...) { \
        MODE(flags, flags) \
        if (flags & (O_CREAT | O_TRUNC) && harm_path("open", AT_FDCWD, path)) return -1; \
        return NEXT(function)(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(function) \
    int function(int directory, const char *path, int flags, ...) { \
        MODE(flags, flags) \
        if (flags & (O_CREAT | O_TRUNC) && harm_path("open", directory, path)) return -1; \
        return NEXT(function)(directory, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *bytes, size_t size) {
    return harm_file("write", file) ? -1 : NEXT(write)(file, bytes, size);
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    return harm_file("write", file) ? -1 : NEXT(pwrite)(file, bytes, size, offset);
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
    return harm_file("write", file) ? -1 : NEXT(pwrite64)(file, bytes, size, offset);
}
ssize_t writev(int file, const struct iovec *parts, int number) {
    return harm_file("write", file) ? -1 : NEXT(writev)(file, parts, number);
}
int ftruncate(int file, off_t size) { return harm_file("truncate", file) ? -1 : NEXT(ftruncate)(file, size); }
int ftruncate64(int file, off64_t size) { return harm_file("truncate", file) ? -1 : NEXT(ftruncate64)(file, size); }
int fallocate(int file, int mode, off_t offset, off_t size) {
    return harm_file("write", file) ? -1 : NEXT(fallocate)(file, mode, offset, size);
}
int fsync(int file) { return harm_file("sync", file) ? -1 : NEXT(fsync)(file); }
int fdatasync(int file) { return harm_file("sync", file) ? -1 : NEXT(fdatasync)(file); }
int rename(const char *from, const char *to) {
    return harm_path("rename", AT_FDCWD, to) ? -1 : NEXT(rename)(from, to);
}
int renameat(int from_directory, const char *from, int directory, const char *to) {
    return harm_path("rename", directory, to) ? -1 : NEXT(renameat)(from_directory, from, directory, to);
}
int renameat2(int from_directory, const char *from, int directory, const char *to, unsigned flags) {
    return harm_path("rename", directory, to) ? -1 : NEXT(renameat2)(from_directory, from, directory, to, flags);
}
int link(const char *from, const char *to) { return harm_path("link", AT_FDCWD, to) ? -1 : NEXT(link)(from, to); }
int symlink(const char *from, const char *to) { return harm_path("link", AT_FDCWD, to) ? -1 : NEXT(symlink)(from, to); }
int unlink(const char *path) { return harm_path("unlink", AT_FDCWD, path) ? -1 : NEXT(unlink)(path); }
int unlinkat(int directory, const char *path, int flags) {
    return harm_path("unlink", directory, path) ? -1 : NEXT(unlinkat)(directory, path, flags);
}
int rmdir(const char *path) { return harm_path("unlink", AT_FDCWD, path) ? -1 : NEXT(rmdir)(path); }
int mkdir(const char *path, mode_t mode) { return harm_path("mkdir", AT_FDCWD, path) ? -1 : NEXT(mkdir)(path, mode); }
int mkdirat(int directory, const char *path, mode_t mode) {
    return harm_path("mkdir", directory, path) ? -1 : NEXT(mkdirat)(directory, path, mode);
}
