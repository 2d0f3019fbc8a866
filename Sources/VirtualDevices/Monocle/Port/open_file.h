// What files.c, file_object.c and import.c share of an open file.
#pragma once

#include "py/obj.h"
#include "store.h"

typedef struct {
    mp_obj_base_t base;
    int slot;
} file_t;

struct open_file {
    file_t *owner;
    uint8_t *bytes;
    size_t length, position, room;
    bool can_read, can_write, appends, is_dirty;
    // The last write found no room: LittleFS then leaves the old content, also at the close.
    bool has_failed;
    char path[PATH_LIMIT];
};

extern const mp_obj_type_t unit_binary_file_type, unit_text_file_type;

// NULL when it is closed.
struct open_file *file_state_of(mp_obj_t self);
void file_forget(struct open_file *file);
int file_commit(struct open_file *file);
int file_load(struct open_file *file);
