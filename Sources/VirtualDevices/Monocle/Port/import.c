// Modules among the unit's files.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "open_file.h"
#include "py/builtin.h"
#include "py/lexer.h"
#include "py/reader.h"
#include "py/runtime.h"
#include "unit.h"

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
    file_forget(data);
    free(data);
}

void mp_reader_new_file(mp_reader_t *reader, qstr name) {
    store_need_mount();
    struct open_file wanted = {0};
    store_resolve(qstr_str(name), wanted.path);
    int code = file_load(&wanted);
    if (code != 0) {
        free(wanted.bytes);
        store_fail(code);
    }
    struct open_file *file = malloc(sizeof(*file));
    *file = wanted;
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
