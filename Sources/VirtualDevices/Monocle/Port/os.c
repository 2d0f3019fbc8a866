// The module os: names, space, and the mount.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "py/mperrno.h"
#include "py/objstr.h"
#include "py/runtime.h"
#include "folders.h"
#include "store.h"
#include "unit.h"

static mp_obj_t os_getcwd(void) { return mp_obj_new_str(store_folder, strlen(store_folder)); }
static MP_DEFINE_CONST_FUN_OBJ_0(os_getcwd_object, os_getcwd);

static mp_obj_t os_chdir(mp_obj_t path_in) {
    store_need_mount();
    char path[PATH_LIMIT];
    struct stat status;
    store_resolve(mp_obj_str_get_str(path_in), path);
    if (store_look(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        store_fail(MP_ENOENT);
    }
    if (strlen(path) + 2 > PATH_LIMIT) {
        store_fail(ENAMETOOLONG);
    }
    snprintf(store_folder, sizeof(store_folder), "/%.*s", PATH_LIMIT - 2, path);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(os_chdir_object, os_chdir);

static mp_obj_t os_mkdir(mp_obj_t path_in) {
    store_need_mount();
    char path[PATH_LIMIT];
    const char *name;
    store_resolve(mp_obj_str_get_str(path_in), path);
    if (store_used_blocks() + 2 > BLOCKS) {
        store_fail(MP_ENOSPC);
    }
    int parent = store_open_parent(path, &name);
    int code = parent < 0 ? ENOENT : mkdirat(parent, name, 0755) == 0 ? 0 : errno;
    if (parent >= 0) {
        close(parent);
    }
    unit_wait(BLOCK_MICROSECONDS);
    if (code) {
        store_fail(code);
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(os_mkdir_object, os_mkdir);

static mp_obj_t os_remove(mp_obj_t path_in) {
    store_need_mount();
    char path[PATH_LIMIT];
    struct stat status;
    const char *name;
    store_resolve(mp_obj_str_get_str(path_in), path);
    int code = store_look(path, &status);
    if (code == 0) {
        int parent = store_open_parent(path, &name);
        code = parent < 0 ? ENOENT : unlinkat(parent, name, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0) == 0 ? 0 : errno;
        if (parent >= 0) {
            close(parent);
        }
    }
    if (code) {
        store_fail(code);
    }
    unit_wait(BLOCK_MICROSECONDS / 4);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(os_remove_object, os_remove);

static mp_obj_t os_rename(mp_obj_t from_in, mp_obj_t to_in) {
    store_need_mount();
    char from[PATH_LIMIT], to[PATH_LIMIT];
    store_resolve(mp_obj_str_get_str(from_in), from);
    store_resolve(mp_obj_str_get_str(to_in), to);
    struct stat status;
    int code = store_look(from, &status);
    if (code == 0) {
        const char *old_name, *new_name;
        int old_parent = store_open_parent(from, &old_name), new_parent = store_open_parent(to, &new_name);
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
        store_fail(code);
    }
    unit_wait(BLOCK_MICROSECONDS / 4);
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_2(os_rename_object, os_rename);

static mp_obj_t os_stat(mp_obj_t path_in) {
    store_need_mount();
    char path[PATH_LIMIT];
    struct stat status;
    store_resolve(mp_obj_str_get_str(path_in), path);
    int code = store_look(path, &status);
    if (code) {
        store_fail(code);
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
    store_need_mount();
    int free_blocks = BLOCKS - store_used_blocks();
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
    if (store_is_mounted) {
        store_fail(MP_EPERM);
    }
    store_is_mounted = true;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(os_mount_object, 2, 3, os_mount);

static mp_obj_t os_umount(mp_obj_t path) {
    (void)path;
    if (!store_is_mounted) {
        store_fail(MP_EINVAL);
    }
    store_is_mounted = false;
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(os_umount_object, os_umount);

static mp_obj_t lfs_mkfs(size_t count, const mp_obj_t *arguments) {
    (void)count;
    (void)arguments;
    store_erase_folder(openat(store_root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
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
