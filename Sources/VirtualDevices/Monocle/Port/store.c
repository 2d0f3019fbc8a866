// The unit's file system: a folder of the host that behaves as LittleFS does on the device. Here are names, space and the start.
//
// 147 blocks of 4096 bytes; a name is never followed out of the folder.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "py/mperrno.h"
#include "py/runtime.h"
#include "store.h"
#include "unit.h"

// A file of up to so many bytes lies in its directory's block (cache size).
#define INLINE_LIMIT 128

int store_root = -1, store_scratch = -1;
bool store_is_mounted;
char store_folder[PATH_LIMIT] = "/";

void store_fail(int code) { mp_raise_OSError(code); }

// --- Names

void store_resolve(const char *path, char *resolved) {
    char whole[2 * PATH_LIMIT];
    if (strlen(path) >= PATH_LIMIT) {
        store_fail(ENAMETOOLONG);
    }
    snprintf(whole, sizeof(whole), "%s/%s", path[0] == '/' ? "" : store_folder, path);
    size_t length = 0;
    resolved[0] = 0;
    for (char *rest = whole, *part; (part = strsep(&rest, "/"));) {
        if (part[0] == 0 || strcmp(part, ".") == 0) {
            continue;
        }
        if (strcmp(part, "..") == 0) {
            char *slash = strrchr(resolved, '/');
            length = slash ? (size_t)(slash - resolved) : 0;
            resolved[length] = 0;
            continue;
        }
        size_t size = strlen(part);
        if (size > NAME_LIMIT || length + size + 2 > PATH_LIMIT) {
            store_fail(ENAMETOOLONG);
        }
        if (length) {
            resolved[length++] = '/';
        }
        memcpy(resolved + length, part, size + 1);
        length += size;
    }
}

int store_open_parent(const char *path, const char **name) {
    int at = dup(store_root);
    const char *part = path;
    for (const char *slash; at >= 0 && (slash = strchr(part, '/')); part = slash + 1) {
        char here[NAME_LIMIT + 1];
        memcpy(here, part, slash - part);
        here[slash - part] = 0;
        int next = openat(at, here, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
    }
    *name = *part ? part : ".";
    return at;
}

int store_look(const char *path, struct stat *status) {
    const char *name;
    int parent = store_open_parent(path, &name);
    if (parent < 0) {
        return errno == ENOTDIR || errno == ELOOP ? ENOTDIR : ENOENT;
    }
    int code = fstatat(parent, name, status, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
    close(parent);
    return code ? code : S_ISREG(status->st_mode) || S_ISDIR(status->st_mode) ? 0 : ENOENT;
}

void store_need_mount(void) {
    if (!store_is_mounted) {
        store_fail(MP_ENODEV);
    }
}

// --- Space

int store_blocks_for(size_t length) {
    if (length <= INLINE_LIMIT) {
        return 0;
    }
    // Each block but the first begins with pointers back: one more for every power of two that divides its number.
    int count = 0;
    for (size_t held = 0; held < length; count++) {
        held += BLOCK - (count == 0 ? 0 : 4 * (__builtin_ctz(count) + 1));
    }
    return count;
}

// A folder is a pair of blocks for so many bytes of names, attributes and small files.
#define PAIR_BYTES 3500
#define ENTRY_BYTES 24

static int count_blocks(int at) {
    int blocks = 0;
    size_t entries = 0;
    DIR *list = fdopendir(at);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0
            || fstatat(at, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        if (S_ISDIR(status.st_mode)) {
            blocks += count_blocks(openat(at, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        } else {
            blocks += store_blocks_for(status.st_size);
            entries += status.st_size <= INLINE_LIMIT ? status.st_size : 0;
        }
        entries += ENTRY_BYTES + strlen(entry->d_name);
    }
    if (list) {
        closedir(list);
    }
    return blocks + 2 * (1 + (int)(entries / PAIR_BYTES));
}

int store_used_blocks(void) {
    return count_blocks(openat(store_root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) + files_written_blocks();
}

void store_erase_folder(int at) {
    DIR *list = fdopendir(at);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (unlinkat(at, entry->d_name, 0) != 0) {
            int inner = openat(at, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (inner >= 0) {
                store_erase_folder(inner);
                unlinkat(at, entry->d_name, AT_REMOVEDIR);
            }
        }
    }
    if (list) {
        closedir(list);
    }
}

// --- Start

void unit_files_open(const char *files_path, const char *scratch_path) {
    store_root = open(files_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    store_scratch = open(scratch_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store_root < 0 || store_scratch < 0) {
        fprintf(stderr, "monocle-python: the unit's store_folder cannot be opened: %s\n", strerror(errno));
        _exit(66);
    }
}

void unit_files_start(void) {
    files_forget();
    strcpy(store_folder, "/");
    store_is_mounted = true;
    // A file system that cannot be mounted is formatted.
    if (unlinkat(store_scratch, "files.damaged", 0) == 0) {
        store_erase_folder(openat(store_root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
}
