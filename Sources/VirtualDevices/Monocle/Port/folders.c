// What lies in a folder, for the module os.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folders.h"
#include "py/mperrno.h"
#include "py/objstr.h"
#include "py/runtime.h"
#include "store.h"
#include "unit.h"

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
    store_need_mount();
    char path[PATH_LIMIT];
    store_resolve(argument_count ? mp_obj_str_get_str(arguments[0]) : "", path);
    const char *name;
    int parent = store_open_parent(path, &name);
    int at = parent < 0 ? -1 : openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int problem = errno;
    if (parent >= 0) {
        close(parent);
    }
    if (at < 0) {
        store_fail(problem == ENOTDIR || problem == ELOOP ? MP_ENOTDIR : MP_ENOENT);
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
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(os_listdir_object, 0, 1, os_listdir);

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
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(os_ilistdir_object, 0, 1, os_ilistdir);
