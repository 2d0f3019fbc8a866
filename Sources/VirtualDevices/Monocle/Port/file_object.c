// An open file as Python sees it.
#include <stdlib.h>
#include <string.h>

#include "open_file.h"
#include "py/mperrno.h"
#include "py/runtime.h"
#include "py/stream.h"
#include "unit.h"

static struct open_file *need_open(mp_obj_t self) {
    struct open_file *file = file_state_of(self);
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
        file->has_failed = true;
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
    file->has_failed = false;
    int fresh = store_blocks_for(length) - store_blocks_for(before);
    unit_charge(20 + size * 3);
    if (fresh > 0) {
        unit_wait(fresh * BLOCK_MICROSECONDS);
    }
    return size;
}

static mp_uint_t file_ioctl(mp_obj_t self, mp_uint_t request, uintptr_t argument, int *code) {
    if (request == MP_STREAM_CLOSE) {
        struct open_file *file = file_state_of(self);
        if (!file) {
            return 0;
        }
        bool was_dirty = file->is_dirty;
        *code = file_commit(file);
        file_forget(file);
        ((file_t *)MP_OBJ_TO_PTR(self))->slot = -1;
        if (was_dirty) {
            unit_wait(BLOCK_MICROSECONDS);
        }
        return *code ? MP_STREAM_ERROR : 0;
    }
    struct open_file *file = need_open(self);
    if (request == MP_STREAM_FLUSH) {
        bool was_dirty = file->is_dirty;
        *code = file_commit(file);
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
    struct open_file *file = file_state_of(self);
    bool is_lost = file && file->is_dirty;
    if (file) {
        file_forget(file);
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
