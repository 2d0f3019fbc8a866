// What files.c and os.c share of the unit's file system.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define BLOCK 4096
#define BLOCKS 147
#define NAME_LIMIT 255
#define PATH_LIMIT 1024
// Erasing a block and programming it (serial NOR flash).
#define BLOCK_MICROSECONDS 57000

// Folders of the host: the unit's files, and where a file is written before it takes its place.
extern int store_root, store_scratch;
extern bool store_is_mounted;
// The current folder.
extern char store_folder[PATH_LIMIT];

void store_fail(int code) __attribute__((noreturn));
void store_need_mount(void);
// The path from the root without "." and "..", "" for the root itself; PATH_LIMIT bytes.
void store_resolve(const char *path, char *resolved);
// Opens the folder that holds a resolved path's last part; no link is followed on the way. -1 and errno when there is none.
int store_open_parent(const char *path, const char **name);
// Regular files and folders only; 0 or an errno.
int store_look(const char *path, struct stat *status);
int store_blocks_for(size_t length);
// Blocks in use: what is stored, and what open files have written.
int store_used_blocks(void);
// Closes the folder, too.
void store_erase_folder(int at);

// files.c
int files_written_blocks(void);
void files_forget(void);
