// Open files, and modules among them. What is written becomes a file's content when it is closed or flushed, and not before; open
// files live in the host's memory, and go with the interpreter.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "py/builtin.h"
#include "py/lexer.h"
#include "py/mperrno.h"
#include "py/objstr.h"
#include "py/reader.h"
#include "py/runtime.h"
#include "py/stream.h"
#include "store.h"
#include "unit.h"

#define OPEN_LIMIT 32

typedef struct {
    mp_obj_base_t base;
    int slot;
} file_t;

static struct open_file {
    file_t *owner;
    uint8_t *bytes;
    size_t length, position, room;
    bool can_read, can_write, appends, is_dirty;
    char path[PATH_LIMIT];
} files[OPEN_LIMIT];

// --- Open files

extern const mp_obj_type_t unit_binary_file_type, unit_text_file_type;

static struct open_file *state_of(mp_obj_t self) {
    file_t *file = MP_OBJ_TO_PTR(self);
    return file->slot >= 0 && files[file->slot].owner == file ? &files[file->slot] : NULL;
}

static void forget(struct open_file *file) {
    free(file->bytes);
    memset(file, 0, sizeof(*file));
}

void files_forget(void) {
    for (int i = 0; i < OPEN_LIMIT; i++) {
        forget(&files[i]);
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
static int commit(struct open_file *file) {
    if (!file->is_dirty) {
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

static int load(struct open_file *file) {
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
    } else if ((code = load(&wanted)) != 0) {
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

static struct open_file *need_open(mp_obj_t self) {
    struct open_file *file = state_of(self);
    if (!file) {
        mp_raise_ValueError(NULL);
    }
    return file;
}

static mp_uint_t file_read(mp_obj_t self, void *buffer, mp_uint_t size, int *code) {
    struct open_file *file = need_open(self);
    if (!file->can_read) {
        *code = MP_EBADF;
        return MP_STREAM_ERROR;
    }
    size_t left = file->position < file->length ? file->length - file->position : 0;
    size_t count = size < left ? size : left;
    memcpy(buffer, file->bytes + file->position, count);
    file->position += count;
    unit_charge(20 + count);
    return count;
}

static mp_uint_t file_write(mp_obj_t self, const void *buffer, mp_uint_t size, int *code) {
    struct open_file *file = need_open(self);
    if (!file->can_write) {
        *code = MP_EBADF;
        return MP_STREAM_ERROR;
    }
    if (file->appends) {
        file->position = file->length;
    }
    if (file->position > BLOCK * BLOCKS || size > BLOCK * BLOCKS) {
        *code = MP_ENOSPC;
        return MP_STREAM_ERROR;
    }
    size_t end = file->position + size, length = end > file->length ? end : file->length;
    bool was_dirty = file->is_dirty;
    size_t before = file->length;
    file->is_dirty = true;
    file->length = length;
    if (store_used_blocks() > BLOCKS) {
        file->is_dirty = was_dirty;
        file->length = before;
        *code = MP_ENOSPC;
        return MP_STREAM_ERROR;
    }
    if (length > file->room) {
        file->room = length + length / 2 + 64;
        file->bytes = realloc(file->bytes, file->room + 1);
    }
    if (file->position > before) {
        memset(file->bytes + before, 0, file->position - before);
    }
    memcpy(file->bytes + file->position, buffer, size);
    file->position = end;
    int fresh = store_blocks_for(length) - store_blocks_for(before);
    unit_charge(20 + size * 3);
    if (fresh > 0) {
        unit_wait(fresh * BLOCK_MICROSECONDS);
    }
    return size;
}

static mp_uint_t file_ioctl(mp_obj_t self, mp_uint_t request, uintptr_t argument, int *code) {
    if (request == MP_STREAM_CLOSE) {
        struct open_file *file = state_of(self);
        if (!file) {
            return 0;
        }
        bool was_dirty = file->is_dirty;
        *code = commit(file);
        forget(file);
        ((file_t *)MP_OBJ_TO_PTR(self))->slot = -1;
        if (was_dirty) {
            unit_wait(BLOCK_MICROSECONDS);
        }
        return *code ? MP_STREAM_ERROR : 0;
    }
    struct open_file *file = need_open(self);
    if (request == MP_STREAM_FLUSH) {
        bool was_dirty = file->is_dirty;
        *code = commit(file);
        if (was_dirty) {
            unit_wait(BLOCK_MICROSECONDS);
        }
        return *code ? MP_STREAM_ERROR : 0;
    }
    if (request == MP_STREAM_SEEK) {
        struct mp_stream_seek_t *seek = (void *)argument;
        mp_int_t start = seek->whence == 1 ? (mp_int_t)file->position : seek->whence == 2 ? (mp_int_t)file->length : 0;
        if (start + (mp_int_t)seek->offset < 0) {
            *code = MP_EINVAL;
            return MP_STREAM_ERROR;
        }
        file->position = start + seek->offset;
        seek->offset = file->position;
        return 0;
    }
    *code = MP_EINVAL;
    return MP_STREAM_ERROR;
}

// A file that was not closed is not written: that would need the heap, which is locked while finalisers run.
static mp_obj_t file_finalise(mp_obj_t self) {
    struct open_file *file = state_of(self);
    bool is_lost = file && file->is_dirty;
    if (file) {
        forget(file);
        ((file_t *)MP_OBJ_TO_PTR(self))->slot = -1;
    }
    if (is_lost) {
        mp_raise_msg(&mp_type_MemoryError, MP_ERROR_TEXT("memory allocation failed, heap is locked"));
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(file_finalise_object, file_finalise);

static const mp_rom_map_elem_t file_names[] = {
    {MP_ROM_QSTR(MP_QSTR_read), MP_ROM_PTR(&mp_stream_read_obj)},
    {MP_ROM_QSTR(MP_QSTR_readinto), MP_ROM_PTR(&mp_stream_readinto_obj)},
    {MP_ROM_QSTR(MP_QSTR_readline), MP_ROM_PTR(&mp_stream_unbuffered_readline_obj)},
    {MP_ROM_QSTR(MP_QSTR_readlines), MP_ROM_PTR(&mp_stream_unbuffered_readlines_obj)},
    {MP_ROM_QSTR(MP_QSTR_write), MP_ROM_PTR(&mp_stream_write_obj)},
    {MP_ROM_QSTR(MP_QSTR_flush), MP_ROM_PTR(&mp_stream_flush_obj)},
    {MP_ROM_QSTR(MP_QSTR_close), MP_ROM_PTR(&mp_stream_close_obj)},
    {MP_ROM_QSTR(MP_QSTR_seek), MP_ROM_PTR(&mp_stream_seek_obj)},
    {MP_ROM_QSTR(MP_QSTR_tell), MP_ROM_PTR(&mp_stream_tell_obj)},
    {MP_ROM_QSTR(MP_QSTR___del__), MP_ROM_PTR(&file_finalise_object)},
    {MP_ROM_QSTR(MP_QSTR___enter__), MP_ROM_PTR(&mp_identity_obj)},
    {MP_ROM_QSTR(MP_QSTR___exit__), MP_ROM_PTR(&mp_stream___exit___obj)},
};
static MP_DEFINE_CONST_DICT(file_locals, file_names);

static const mp_stream_p_t binary_stream = {.read = file_read, .write = file_write, .ioctl = file_ioctl};
static const mp_stream_p_t text_stream = {.read = file_read, .write = file_write, .ioctl = file_ioctl, .is_text = true};

MP_DEFINE_CONST_OBJ_TYPE(
    unit_binary_file_type, MP_QSTR_FileIO, MP_TYPE_FLAG_ITER_IS_STREAM, protocol, &binary_stream, locals_dict, &file_locals);
MP_DEFINE_CONST_OBJ_TYPE(
    unit_text_file_type, MP_QSTR_TextIOWrapper, MP_TYPE_FLAG_ITER_IS_STREAM, protocol, &text_stream, locals_dict, &file_locals);

// --- Import

mp_import_stat_t mp_import_stat(const char *path) {
    char resolved[PATH_LIMIT];
    struct stat status;
    if (!store_is_mounted || strlen(path) >= PATH_LIMIT) {
        return MP_IMPORT_STAT_NO_EXIST;
    }
    store_resolve(path, resolved);
    if (store_look(resolved, &status) != 0) {
        return MP_IMPORT_STAT_NO_EXIST;
    }
    return S_ISDIR(status.st_mode) ? MP_IMPORT_STAT_DIR : MP_IMPORT_STAT_FILE;
}

static mp_uint_t source_next(void *data) {
    struct open_file *file = data;
    return file->position < file->length ? file->bytes[file->position++] : MP_READER_EOF;
}

static void source_close(void *data) {
    forget(data);
    free(data);
}

void mp_reader_new_file(mp_reader_t *reader, qstr name) {
    store_need_mount();
    struct open_file wanted = {0};
    store_resolve(qstr_str(name), wanted.path);
    int code = load(&wanted);
    if (code != 0) {
        free(wanted.bytes);
        store_fail(code);
    }
    struct open_file *file = malloc(sizeof(*file));
    *file = wanted;
    // Reading, parsing and compiling: nothing reads the ring meanwhile.
    unit_charge(file->length * 10);
    *reader = (mp_reader_t) {file, source_next, source_close};
}

mp_lexer_t *mp_lexer_new_from_file(qstr name) {
    mp_reader_t reader;
    mp_reader_new_file(&reader, name);
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        mp_lexer_t *lexer = mp_lexer_new(name, reader);
        nlr_pop();
        return lexer;
    }
    reader.close(reader.data);
    nlr_jump(nlr.ret_val);
}
