// Boots as the firmware does: heap, file system, splash screen, main.py, REPL; a soft reset does it again.
#include <dirent.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "py/builtin.h"
#include "py/compile.h"
#include "py/cstack.h"
#include "py/frozenmod.h"
#include "py/gc.h"
#include "py/lexer.h"
#include "py/mphal.h"
#include "py/persistentcode.h"
#include "py/repl.h"
#include "py/runtime.h"
#include "shared/readline/readline.h"
#include "shared/runtime/gchelper.h"
#include "shared/runtime/pyexec.h"
#include "store.h"
#include "unit.h"

// 0x2000404C to 0x2000E000 (monocle.ld), and twice its stack of 8 KiB: x86 frames are about twice as large.
#define HEAP_BYTES 40884
#define STACK_BYTES 16384
#define FROZEN_LIMIT 16

static char heap[HEAP_BYTES] __attribute__((aligned(16)));
static char workshop[512 * 1024] __attribute__((aligned(16)));
static qstr_pool_t *frozen_names;
// What frozenmod.c looks in: names that end in 0, one after the other, and the code to each.
char mp_frozen_names[FROZEN_LIMIT * 32];
const mp_frozen_module_t *mp_frozen_mpy_content[FROZEN_LIMIT];

bool unit_is_safe_mode;
unsigned unit_start_count;

const char unit_help_text[] = "This is a virtual Monocle.\nCtrl-A raw REPL, Ctrl-B friendly REPL, Ctrl-C interrupt, Ctrl-D soft reset\n";

static mp_obj_t read_source(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    static char text[64 * 1024];
    size_t length = file ? fread(text, 1, sizeof(text), file) : 0;
    if (file) {
        fclose(file);
    }
    return mp_obj_new_str(text, length);
}

static void complain(void *data, const char *text, size_t length) {
    (void)data;
    fwrite(text, 1, length, stderr);
}

// Frozen code lies in the device's flash: compiled in memory of its own, it takes nothing from the unit's heap.
static void freeze(const char *folder) {
    gc_init(workshop, workshop + sizeof(workshop));
    mp_init();
    struct dirent **entries;
    // Sorted: a name that stands later takes longer to find.
    int entry_count = scandir(folder, &entries, NULL, alphasort);
    int count = 0;
    size_t end = 0;
    for (int i = 0; i < entry_count && count < FROZEN_LIMIT; i++) {
        const char *file = entries[i]->d_name;
        size_t length = strlen(file);
        if (length < 4 || end + length + 2 > sizeof(mp_frozen_names) || strcmp(file + length - 3, ".py") != 0) {
            continue;
        }
        nlr_buf_t nlr;
        if (nlr_push(&nlr) == 0) {
            size_t size;
            const char *source = mp_obj_str_get_data(read_source(folder, file), &size);
            qstr name = qstr_from_str(file);
            mp_parse_tree_t tree = mp_parse(mp_lexer_new_from_str_len(name, source, size, 0), MP_PARSE_FILE_INPUT);
            mp_compiled_module_t code;
            code.context = m_new_obj(mp_module_context_t);
            mp_compile_to_raw_code(&tree, name, false, &code);
            mp_frozen_module_t *module = malloc(sizeof(*module));
            const mp_frozen_module_t content = {code.context->constants, code.rc};
            memcpy((void *)module, &content, sizeof(content));
            mp_frozen_mpy_content[count++] = module;
            strcpy(mp_frozen_names + end, file);
            end += length + 1;
            nlr_pop();
        } else {
            const mp_print_t complaint = {NULL, complain};
            mp_obj_print_exception(&complaint, MP_OBJ_FROM_PTR(nlr.ret_val));
            _exit(70);
        }
    }
    frozen_names = MP_STATE_VM(last_pool);
    // Full, so that a name of the unit's never goes to memory that its collector does not look at.
    frozen_names->alloc = frozen_names->len;
}

static void start(void) {
    gc_init(heap, heap + sizeof(heap));
    mp_init();
    MP_STATE_VM(last_pool) = frozen_names;
    readline_init0();
    unit_start_count++;
    unit_files_start();
    pyexec_frozen_module("_splashscreen.py", false);
    bool is_safe = unit_is_safe_mode;
    // The flag is cleared when it is read: a soft reset after this runs main.py.
    unit_is_safe_mode = false;
    if (!is_safe) {
        pyexec_file_if_exists("main.py");
    }
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "--version") == 0) {
        printf("MicroPython %s, the Monocle's features\n", MICROPY_VERSION_STRING);
        return 0;
    }
    if (count == 3 && strcmp(arguments[1], "--confinement") == 0) {
        return unit_show_confinement(arguments[2]);
    }
    if (count != 4) {
        fprintf(stderr, "usage: monocle-python FROZEN FILES SCRATCH, with the wire on descriptor 3\n");
        return 64;
    }
    // Above the frames of all that the collector looks at.
    volatile int bottom;
    void *top = (void *)&bottom;
    mp_cstack_init_with_top(top, 1 << 20);
    freeze(arguments[1]);
    // The device's is compiled already.
    unit_budget = 0;
    unit_files_open(arguments[2], arguments[3]);
    unit_confine((const int[]) {store_root, store_scratch}, 2);
    for (;;) {
        mp_cstack_init_with_top(top, STACK_BYTES - 512);
        if (unit_start_count == 0) {
            gc_init(heap, heap + sizeof(heap));
            mp_init();
            uint8_t answer[1] = {0};
            unit_request(UNIT_HELLO, "", 0, false, answer, 1);
            unit_is_safe_mode = answer[0] == 0;
        }
        start();
        while ((pyexec_mode_kind == PYEXEC_MODE_RAW_REPL ? pyexec_raw_repl() : pyexec_friendly_repl()) == 0) {
        }
        gc_sweep_all();
        mp_deinit();
        mp_hal_stdout_tx_strn("MPY: soft reboot\r\n", 18);
    }
}

void gc_collect(void) {
    gc_collect_start();
    gc_helper_collect_regs_and_stack();
    unit_collect_callbacks();
    gc_collect_end();
}

void nlr_jump_fail(void *value) {
    (void)value;
    unit_reset(UNIT_RESET_CRASHED);
}
