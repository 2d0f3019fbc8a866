// Open files. What is written becomes a file's content when it is closed or flushed, and not before; open
// files live in the host's memory, and go with the interpreter.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "py/builtin.h"
#include "py/mperrno.h"
#include "py/objstr.h"
#include "py/runtime.h"
#include "open_file.h"
#include "store.h"
#include "unit.h"

#define OPEN_LIMIT 32

static struct open_file files[OPEN_LIMIT];

struct open_file *file_state_of(mp_obj_t self) {
    file_t *file = MP_OBJ_TO_PTR(self);
    return file->slot >= 0 && files[file->slot].owner == file ? &files[file->slot] : NULL;
}

void file_forget(struct open_file *file) {
    free(file->bytes);
    memset(file, 0, sizeof(*file));
}

void files_forget(void) {
    for (int i = 0; i < OPEN_LIMIT; i++) {
        file_forget(&files[i]);
    }
}

int files_written_blocks(void) {
    int blocks = 0;
    for (int i = 0; i < OPEN_LIMIT; i++) {
        if (files[i].owner && files[i].is_dirty) {
            blocks += store_blocks_for(files[i].length);
        }
    }
    return blocks;
}

// Makes what was written the file's content: all of it or nothing. Callbacks may run in the caller's wait after it.
int file_commit(struct open_file *file) {
    if (!file->is_dirty || file->has_failed) {
        return 0;
    }
    const char *name;
    int parent = store_open_parent(file->path, &name);
    if (parent < 0) {
        return ENOENT;
    }
    int code = 0, copy = openat(store_scratch, "file.tmp", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    for (size_t done = 0; copy >= 0 && code == 0 && done < file->length;) {
        ssize_t count = write(copy, file->bytes + done, file->length - done);
        if (count > 0) {
            done += count;
        } else if (errno != EINTR) {
            code = EIO;
        }
    }
    if (copy < 0 || close(copy) != 0 || code != 0 || renameat(store_scratch, "file.tmp", parent, name) != 0) {
        code = EIO;
    }
    close(parent);
    if (code == 0) {
        file->is_dirty = false;
    }
    return code;
}

int file_load(struct open_file *file) {
    const char *name;
    int parent = store_open_parent(file->path, &name);
    int source = parent < 0 ? -1 : openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    int code = 0;
    if (source < 0 || fstat(source, &status) != 0 || !S_ISREG(status.st_mode)) {
        code = ENOENT;
    } else if (status.st_size > BLOCK * BLOCKS) {
        code = EIO;
    } else {
        file->room = status.st_size;
        file->bytes = malloc(file->room + 1);
        while (file->length < file->room) {
            ssize_t count = read(source, file->bytes + file->length, file->room - file->length);
            if (count <= 0) {
                break;
            }
            file->length += count;
        }
        // The flash is read at 4 MHz.
        unit_charge(file->length * 2);
    }
    if (source >= 0) {
        close(source);
    }
    if (parent >= 0) {
        close(parent);
    }
    return code;
}

static void take_away(const char *path) {
    const char *name;
    int parent = store_open_parent(path, &name);
    if (parent >= 0) {
        unlinkat(parent, name, 0);
        close(parent);
    }
}

static mp_obj_t open_file(mp_obj_t path_in, const char *mode) {
    store_need_mount();
    bool text = true, creates = false, truncates = false, exclusive = false;
    struct open_file wanted = {0};
    for (const char *letter = mode; *letter; letter++) {
        switch (*letter) {
            case 'r': wanted.can_read = true; break;
            case 'w': wanted.can_write = creates = truncates = true; break;
            case 'x': wanted.can_write = creates = exclusive = true; break;
            case 'a': wanted.can_write = creates = wanted.appends = true; break;
            case '+': wanted.can_read = wanted.can_write = true; break;
            case 'b': text = false; break;
            case 't': text = true; break;
        }
    }
    store_resolve(mp_obj_str_get_str(path_in), wanted.path);
    struct stat status;
    int code = store_look(wanted.path, &status);
    if (code == 0 && S_ISDIR(status.st_mode)) {
        store_fail(MP_EISDIR);
    }
    if (code == 0 && exclusive) {
        store_fail(MP_EEXIST);
    }
    if (code != 0 && (code != ENOENT || !creates)) {
        store_fail(code);
    }
    int slot = 0;
    while (slot < OPEN_LIMIT && files[slot].owner) {
        slot++;
    }
    if (slot == OPEN_LIMIT) {
        mp_raise_msg(&mp_type_MemoryError, MP_ERROR_TEXT("too many open files"));
    }
    file_t *self = mp_obj_malloc_with_finaliser(file_t, text ? &unit_text_file_type : &unit_binary_file_type);
    self->slot = -1;
    bool is_new = code != 0;
    if (is_new) {
        // A new file is there, empty, from now on.
        const char *name;
        int parent = store_open_parent(wanted.path, &name);
        int made = parent < 0 ? -1 : openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        int problem = errno;
        if (made >= 0) {
            close(made);
        }
        if (parent >= 0) {
            close(parent);
        }
        if (made < 0) {
            store_fail(parent < 0 || problem == ENOENT ? MP_ENOENT : MP_EIO);
        }
        if (store_used_blocks() > BLOCKS) {
            take_away(wanted.path);
            store_fail(MP_ENOSPC);
        }
    } else if (truncates) {
        wanted.is_dirty = true;
    } else if ((code = file_load(&wanted)) != 0) {
        free(wanted.bytes);
        store_fail(code);
    }
    files[slot] = wanted;
    files[slot].owner = self;
    self->slot = slot;
    if (is_new) {
        unit_wait(BLOCK_MICROSECONDS / 4);
    }
    return MP_OBJ_FROM_PTR(self);
}

mp_obj_t mp_builtin_open(size_t count, const mp_obj_t *arguments, mp_map_t *named) {
    static const mp_arg_t allowed[] = {
        {MP_QSTR_file, MP_ARG_OBJ | MP_ARG_REQUIRED, {.u_rom_obj = MP_ROM_NONE}},
        {MP_QSTR_mode, MP_ARG_OBJ, {.u_rom_obj = MP_ROM_QSTR(MP_QSTR_r)}},
        {MP_QSTR_buffering, MP_ARG_INT, {.u_int = -1}},
        {MP_QSTR_encoding, MP_ARG_OBJ, {.u_rom_obj = MP_ROM_NONE}},
    };
    mp_arg_val_t values[4];
    mp_arg_parse_all(count, arguments, named, 4, allowed, values);
    return open_file(values[0].u_obj, mp_obj_str_get_str(values[1].u_obj));
}
MP_DEFINE_CONST_FUN_OBJ_KW(mp_builtin_open_obj, 1, mp_builtin_open);
