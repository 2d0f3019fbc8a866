// The unit's file system: a folder of the host that behaves as LittleFS does on the device.
//
// 147 blocks of 4096 bytes; what is written becomes the file's content when it is closed or flushed, and not before; a name is
// never followed out of the folder. Open files live in the host's memory, and go with the interpreter.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "py/builtin.h"
#include "py/gc.h"
#include "py/lexer.h"
#include "py/mperrno.h"
#include "py/mphal.h"
#include "py/objstr.h"
#include "py/reader.h"
#include "py/runtime.h"
#include "py/stream.h"
#include "unit.h"

#define BLOCK 4096
#define BLOCKS 147
// A file of up to so many bytes lies in its directory's block (cache size).
#define INLINE_LIMIT 128
#define NAME_LIMIT 255
#define PATH_LIMIT 1024
#define OPEN_LIMIT 32
// Erasing a block and programming it (serial NOR flash).
#define BLOCK_MICROSECONDS 57000

static int root = -1, scratch = -1;
static bool is_mounted;
static char folder[PATH_LIMIT] = "/";

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

static void fail(int code) __attribute__((noreturn));
static void fail(int code) { mp_raise_OSError(code); }

// --- Names

// The path from the root without "." and "..", "" for the root itself.
static void resolve(const char *path, char *resolved) {
    char whole[2 * PATH_LIMIT];
    if (strlen(path) >= PATH_LIMIT) {
        fail(ENAMETOOLONG);
    }
    snprintf(whole, sizeof(whole), "%s/%s", path[0] == '/' ? "" : folder, path);
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
            fail(ENAMETOOLONG);
        }
        if (length) {
            resolved[length++] = '/';
        }
        memcpy(resolved + length, part, size + 1);
        length += size;
    }
}

// Opens the folder that holds the path's last part; no link is followed on the way.
static int open_parent(const char *path, const char **name) {
    int at = dup(root);
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

// Regular files and folders only; 0 or an errno.
static int look(const char *path, struct stat *status) {
    const char *name;
    int parent = open_parent(path, &name);
    if (parent < 0) {
        return errno == ENOTDIR || errno == ELOOP ? ENOTDIR : ENOENT;
    }
    int code = fstatat(parent, name, status, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
    close(parent);
    return code ? code : S_ISREG(status->st_mode) || S_ISDIR(status->st_mode) ? 0 : ENOENT;
}

static void need_mount(void) {
    if (!is_mounted) {
        fail(MP_ENODEV);
    }
}

// --- Space

static int blocks_for(size_t length) {
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
            blocks += blocks_for(status.st_size);
            entries += status.st_size <= INLINE_LIMIT ? status.st_size : 0;
        }
        entries += ENTRY_BYTES + strlen(entry->d_name);
    }
    if (list) {
        closedir(list);
    }
    return blocks + 2 * (1 + (int)(entries / PAIR_BYTES));
}

// Blocks in use: what is stored, and what open files have written.
static int used_blocks(void) {
    int blocks = count_blocks(openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int i = 0; i < OPEN_LIMIT; i++) {
        if (files[i].owner && files[i].is_dirty) {
            blocks += blocks_for(files[i].length);
        }
    }
    return blocks;
}

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

// Makes what was written the file's content: all of it or nothing. Callbacks may run in the caller's wait after it.
static int commit(struct open_file *file) {
    if (!file->is_dirty) {
        return 0;
    }
    const char *name;
    int parent = open_parent(file->path, &name);
    if (parent < 0) {
        return ENOENT;
    }
    int code = 0, copy = openat(scratch, "file.tmp", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    for (size_t done = 0; copy >= 0 && code == 0 && done < file->length;) {
        ssize_t count = write(copy, file->bytes + done, file->length - done);
        if (count > 0) {
            done += count;
        } else if (errno != EINTR) {
            code = EIO;
        }
    }
    if (copy < 0 || close(copy) != 0 || code != 0 || renameat(scratch, "file.tmp", parent, name) != 0) {
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
    int parent = open_parent(file->path, &name);
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
    int parent = open_parent(path, &name);
    if (parent >= 0) {
        unlinkat(parent, name, 0);
        close(parent);
    }
}

static mp_obj_t open_file(mp_obj_t path_in, const char *mode) {
    need_mount();
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
    resolve(mp_obj_str_get_str(path_in), wanted.path);
    struct stat status;
    int code = look(wanted.path, &status);
    if (code == 0 && S_ISDIR(status.st_mode)) {
        fail(MP_EISDIR);
    }
    if (code == 0 && exclusive) {
        fail(MP_EEXIST);
    }
    if (code != 0 && (code != ENOENT || !creates)) {
        fail(code);
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
        int parent = open_parent(wanted.path, &name);
        int made = parent < 0 ? -1 : openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        int problem = errno;
        if (made >= 0) {
            close(made);
        }
        if (parent >= 0) {
            close(parent);
        }
        if (made < 0) {
            fail(parent < 0 || problem == ENOENT ? MP_ENOENT : MP_EIO);
        }
        if (used_blocks() > BLOCKS) {
            take_away(wanted.path);
            fail(MP_ENOSPC);
        }
    } else if (truncates) {
        wanted.is_dirty = true;
    } else if ((code = load(&wanted)) != 0) {
        free(wanted.bytes);
        fail(code);
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
    if (used_blocks() > BLOCKS) {
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
    int fresh = blocks_for(length) - blocks_for(before);
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
    if (!is_mounted || strlen(path) >= PATH_LIMIT) {
        return MP_IMPORT_STAT_NO_EXIST;
    }
    resolve(path, resolved);
    if (look(resolved, &status) != 0) {
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
    need_mount();
    struct open_file wanted = {0};
    resolve(qstr_str(name), wanted.path);
    int code = load(&wanted);
    if (code != 0) {
        free(wanted.bytes);
        fail(code);
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

// --- os

typedef struct {
    char *name;
    bool is_folder;
    int size;
} entry_t;

// A folder as it was when it was listed, in the host's memory.
typedef struct {
    size_t count, index;
    entry_t *entries;
} listing_t;

static int compare_entries(const void *first, const void *second) {
    return strcmp(((const entry_t *)first)->name, ((const entry_t *)second)->name);
}

static void forget_listing(listing_t *listing) {
    for (size_t i = 0; i < listing->count; i++) {
        free(listing->entries[i].name);
    }
    free(listing->entries);
    *listing = (listing_t) {0};
}

static listing_t read_folder(size_t argument_count, const mp_obj_t *arguments) {
    need_mount();
    char path[PATH_LIMIT];
    resolve(argument_count ? mp_obj_str_get_str(arguments[0]) : "", path);
    const char *name;
    int parent = open_parent(path, &name);
    int at = parent < 0 ? -1 : openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int problem = errno;
    if (parent >= 0) {
        close(parent);
    }
    if (at < 0) {
        fail(problem == ENOTDIR || problem == ELOOP ? MP_ENOTDIR : MP_ENOENT);
    }
    listing_t listing = {0};
    DIR *list = fdopendir(at);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0
            || fstatat(at, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0
            || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) {
            continue;
        }
        listing.entries = realloc(listing.entries, (listing.count + 1) * sizeof(entry_t));
        bool is_folder = S_ISDIR(status.st_mode);
        listing.entries[listing.count++] = (entry_t) {strdup(entry->d_name), is_folder, is_folder ? 0 : (int)status.st_size};
    }
    if (list) {
        closedir(list);
    } else {
        close(at);
    }
    if (listing.count) {
        qsort(listing.entries, listing.count, sizeof(entry_t), compare_entries);
    }
    return listing;
}

static mp_obj_t name_of(const entry_t *entry) {
    unit_charge(100);
    return mp_obj_new_str_copy(&mp_type_str, (const byte *)entry->name, strlen(entry->name));
}

static mp_obj_t os_listdir(size_t count, const mp_obj_t *arguments) {
    listing_t listing = read_folder(count, arguments);
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) {
        mp_obj_t names = mp_obj_new_list(0, NULL);
        for (size_t i = 0; i < listing.count; i++) {
            mp_obj_list_append(names, name_of(&listing.entries[i]));
        }
        nlr_pop();
        forget_listing(&listing);
        return names;
    }
    forget_listing(&listing);
    nlr_jump(nlr.ret_val);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(os_listdir_object, 0, 1, os_listdir);

typedef struct {
    mp_obj_base_t base;
    mp_fun_1_t next;
    mp_fun_1_t finaliser;
    listing_t listing;
} iterator_t;

static mp_obj_t iterator_next(mp_obj_t self_in) {
    listing_t *listing = &((iterator_t *)MP_OBJ_TO_PTR(self_in))->listing;
    if (listing->index == listing->count) {
        return MP_OBJ_STOP_ITERATION;
    }
    const entry_t *entry = &listing->entries[listing->index];
    mp_obj_t items[4] = {
        name_of(entry), MP_OBJ_NEW_SMALL_INT(entry->is_folder ? 0x4000 : 0x8000), MP_OBJ_NEW_SMALL_INT(0),
        mp_obj_new_int(entry->size),
    };
    listing->index++;
    return mp_obj_new_tuple(4, items);
}

static mp_obj_t iterator_finalise(mp_obj_t self_in) {
    forget_listing(&((iterator_t *)MP_OBJ_TO_PTR(self_in))->listing);
    return mp_const_none;
}

static mp_obj_t os_ilistdir(size_t count, const mp_obj_t *arguments) {
    iterator_t *iterator = mp_obj_malloc_with_finaliser(iterator_t, &mp_type_polymorph_iter_with_finaliser);
    iterator->next = iterator_next;
    iterator->finaliser = iterator_finalise;
    iterator->listing = (listing_t) {0};
    iterator->listing = read_folder(count, arguments);
    return MP_OBJ_FROM_PTR(iterator);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(os_ilistdir_object, 0, 1, os_ilistdir);

static mp_obj_t os_getcwd(void) { return mp_obj_new_str(folder, strlen(folder)); }
static MP_DEFINE_CONST_FUN_OBJ_0(os_getcwd_object, os_getcwd);

static mp_obj_t os_chdir(mp_obj_t path_in) {
    need_mount();
    char path[PATH_LIMIT];
    struct stat status;
    resolve(mp_obj_str_get_str(path_in), path);
    if (look(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        fail(MP_ENOENT);
    }
    if (strlen(path) + 2 > PATH_LIMIT) {
        fail(ENAMETOOLONG);
    }
    snprintf(folder, sizeof(folder), "/%.*s", PATH_LIMIT - 2, path);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(os_chdir_object, os_chdir);

static mp_obj_t os_mkdir(mp_obj_t path_in) {
    need_mount();
    char path[PATH_LIMIT];
    const char *name;
    resolve(mp_obj_str_get_str(path_in), path);
    if (used_blocks() + 2 > BLOCKS) {
        fail(MP_ENOSPC);
    }
    int parent = open_parent(path, &name);
    int code = parent < 0 ? ENOENT : mkdirat(parent, name, 0755) == 0 ? 0 : errno;
    if (parent >= 0) {
        close(parent);
    }
    unit_wait(BLOCK_MICROSECONDS);
    if (code) {
        fail(code);
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(os_mkdir_object, os_mkdir);

static mp_obj_t os_remove(mp_obj_t path_in) {
    need_mount();
    char path[PATH_LIMIT];
    struct stat status;
    const char *name;
    resolve(mp_obj_str_get_str(path_in), path);
    int code = look(path, &status);
    if (code == 0) {
        int parent = open_parent(path, &name);
        code = parent < 0 ? ENOENT : unlinkat(parent, name, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0) == 0 ? 0 : errno;
        if (parent >= 0) {
            close(parent);
        }
    }
    if (code) {
        fail(code);
    }
    unit_wait(BLOCK_MICROSECONDS / 4);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(os_remove_object, os_remove);

static mp_obj_t os_rename(mp_obj_t from_in, mp_obj_t to_in) {
    need_mount();
    char from[PATH_LIMIT], to[PATH_LIMIT];
    resolve(mp_obj_str_get_str(from_in), from);
    resolve(mp_obj_str_get_str(to_in), to);
    struct stat status;
    int code = look(from, &status);
    if (code == 0) {
        const char *old_name, *new_name;
        int old_parent = open_parent(from, &old_name), new_parent = open_parent(to, &new_name);
        code = old_parent < 0 || new_parent < 0 ? ENOENT
            : renameat(old_parent, old_name, new_parent, new_name) == 0 ? 0 : errno;
        if (old_parent >= 0) {
            close(old_parent);
        }
        if (new_parent >= 0) {
            close(new_parent);
        }
    }
    if (code) {
        fail(code);
    }
    unit_wait(BLOCK_MICROSECONDS / 4);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(os_rename_object, os_rename);

static mp_obj_t os_stat(mp_obj_t path_in) {
    need_mount();
    char path[PATH_LIMIT];
    struct stat status;
    resolve(mp_obj_str_get_str(path_in), path);
    int code = look(path, &status);
    if (code) {
        fail(code);
    }
    mp_obj_t items[10];
    for (int i = 0; i < 10; i++) {
        items[i] = MP_OBJ_NEW_SMALL_INT(0);
    }
    items[0] = MP_OBJ_NEW_SMALL_INT(S_ISDIR(status.st_mode) ? 0x4000 : 0x8000);
    items[6] = mp_obj_new_int(S_ISDIR(status.st_mode) ? 0 : status.st_size);
    return mp_obj_new_tuple(10, items);
}
static MP_DEFINE_CONST_FUN_OBJ_1(os_stat_object, os_stat);

static mp_obj_t os_statvfs(mp_obj_t path) {
    (void)path;
    need_mount();
    int free_blocks = BLOCKS - used_blocks();
    free_blocks = free_blocks < 0 ? 0 : free_blocks;
    unit_charge(20000);
    int values[10] = {BLOCK, BLOCK, BLOCKS, free_blocks, free_blocks, 0, 0, 0, 0, NAME_LIMIT};
    mp_obj_t items[10];
    for (int i = 0; i < 10; i++) {
        items[i] = MP_OBJ_NEW_SMALL_INT(values[i]);
    }
    return mp_obj_new_tuple(10, items);
}
static MP_DEFINE_CONST_FUN_OBJ_1(os_statvfs_object, os_statvfs);

static mp_obj_t os_mount(size_t count, const mp_obj_t *arguments) {
    (void)count;
    (void)arguments;
    if (is_mounted) {
        fail(MP_EPERM);
    }
    is_mounted = true;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(os_mount_object, 2, 3, os_mount);

static mp_obj_t os_umount(mp_obj_t path) {
    (void)path;
    if (!is_mounted) {
        fail(MP_EINVAL);
    }
    is_mounted = false;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(os_umount_object, os_umount);

static void erase_folder(int at) {
    DIR *list = fdopendir(at);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (unlinkat(at, entry->d_name, 0) != 0) {
            int inner = openat(at, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (inner >= 0) {
                erase_folder(inner);
                unlinkat(at, entry->d_name, AT_REMOVEDIR);
            }
        }
    }
    if (list) {
        closedir(list);
    }
}

static mp_obj_t lfs_mkfs(size_t count, const mp_obj_t *arguments) {
    (void)count;
    (void)arguments;
    erase_folder(openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    unit_wait(4 * BLOCK_MICROSECONDS);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(lfs_mkfs_object, 1, 5, lfs_mkfs);
static MP_DEFINE_CONST_STATICMETHOD_OBJ(lfs_mkfs_method, MP_ROM_PTR(&lfs_mkfs_object));
static const mp_rom_map_elem_t lfs_names[] = {{MP_ROM_QSTR(MP_QSTR_mkfs), MP_ROM_PTR(&lfs_mkfs_method)}};
static MP_DEFINE_CONST_DICT(lfs_locals, lfs_names);

static mp_obj_t storage_make(const mp_obj_type_t *type, size_t count, size_t named, const mp_obj_t *arguments) {
    (void)arguments;
    mp_arg_check_num(count, named, 0, 1, true);
    return MP_OBJ_FROM_PTR(mp_obj_malloc(mp_obj_base_t, type));
}
static MP_DEFINE_CONST_OBJ_TYPE(lfs_type, MP_QSTR_VfsLfs2, MP_TYPE_FLAG_NONE, make_new, storage_make, locals_dict, &lfs_locals);
MP_DEFINE_CONST_OBJ_TYPE(unit_storage_type, MP_QSTR_Storage, MP_TYPE_FLAG_NONE, make_new, storage_make);

static const mp_rom_map_elem_t os_names[] = {
    {MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_os)},
    {MP_ROM_QSTR(MP_QSTR_chdir), MP_ROM_PTR(&os_chdir_object)},
    {MP_ROM_QSTR(MP_QSTR_getcwd), MP_ROM_PTR(&os_getcwd_object)},
    {MP_ROM_QSTR(MP_QSTR_ilistdir), MP_ROM_PTR(&os_ilistdir_object)},
    {MP_ROM_QSTR(MP_QSTR_listdir), MP_ROM_PTR(&os_listdir_object)},
    {MP_ROM_QSTR(MP_QSTR_mkdir), MP_ROM_PTR(&os_mkdir_object)},
    {MP_ROM_QSTR(MP_QSTR_mount), MP_ROM_PTR(&os_mount_object)},
    {MP_ROM_QSTR(MP_QSTR_remove), MP_ROM_PTR(&os_remove_object)},
    {MP_ROM_QSTR(MP_QSTR_rename), MP_ROM_PTR(&os_rename_object)},
    {MP_ROM_QSTR(MP_QSTR_rmdir), MP_ROM_PTR(&os_remove_object)},
    {MP_ROM_QSTR(MP_QSTR_stat), MP_ROM_PTR(&os_stat_object)},
    {MP_ROM_QSTR(MP_QSTR_statvfs), MP_ROM_PTR(&os_statvfs_object)},
    {MP_ROM_QSTR(MP_QSTR_umount), MP_ROM_PTR(&os_umount_object)},
    {MP_ROM_QSTR(MP_QSTR_unlink), MP_ROM_PTR(&os_remove_object)},
    {MP_ROM_QSTR(MP_QSTR_VfsLfs2), MP_ROM_PTR(&lfs_type)},
};
static MP_DEFINE_CONST_DICT(os_globals, os_names);
const mp_obj_module_t unit_os = {.base = {&mp_type_module}, .globals = (mp_obj_dict_t *)&os_globals};
MP_REGISTER_EXTENSIBLE_MODULE(MP_QSTR_os, unit_os);

// --- Start

void unit_files_open(const char *files_path, const char *scratch_path) {
    root = open(files_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    scratch = open(scratch_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0 || scratch < 0) {
        fprintf(stderr, "monocle-python: the unit's folder cannot be opened: %s\n", strerror(errno));
        _exit(66);
    }
}

void unit_files_start(void) {
    for (int i = 0; i < OPEN_LIMIT; i++) {
        forget(&files[i]);
    }
    strcpy(folder, "/");
    is_mounted = true;
    // A file system that cannot be mounted is formatted.
    if (unlinkat(scratch, "files.damaged", 0) == 0) {
        erase_folder(openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
}
