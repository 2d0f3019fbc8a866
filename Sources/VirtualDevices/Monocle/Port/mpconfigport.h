// The Monocle's MicroPython as its firmware configures it (monocle-micropython v23.248.0754, mpconfigport.h), on a host.
#pragma once

#include <alloca.h>
#include <stdint.h>

#define MICROPY_BANNER_MACHINE "Monocle on nRF52832"
#define MICROPY_BANNER_NAME_AND_VERSION "MicroPython v1.20.0-379-ga18d62e06 on 2023-09-05"

#define MICROPY_CONFIG_ROM_LEVEL (MICROPY_CONFIG_ROM_LEVEL_CORE_FEATURES)
#define MICROPY_ENABLE_GC (1)
#define MICROPY_ENABLE_FINALISER (1)
#define MICROPY_STACK_CHECK (1)
#define MICROPY_ALLOC_PATH_MAX (64)
#define MICROPY_QSTR_BYTES_IN_HASH (2)
#define MICROPY_ENABLE_COMPILER (1)
#define MICROPY_COMP_MODULE_CONST (1)
#define MICROPY_COMP_TRIPLE_TUPLE_ASSIGN (1)
#define MICROPY_COMP_RETURN_IF_EXPR (1)
#define MICROPY_ERROR_REPORTING (MICROPY_ERROR_REPORTING_DETAILED)
#define MICROPY_LONGINT_IMPL (MICROPY_LONGINT_IMPL_MPZ)
#define MICROPY_FLOAT_IMPL (MICROPY_FLOAT_IMPL_FLOAT)
#define MICROPY_OBJ_REPR (MICROPY_OBJ_REPR_A)
#define MICROPY_EPOCH_IS_1970 (1)

#define MICROPY_ENABLE_SCHEDULER (1)
#define MICROPY_KBD_EXCEPTION (1)
#define MICROPY_USE_READLINE (1)
#define MICROPY_USE_READLINE_HISTORY (1)
#define MICROPY_READLINE_HISTORY_SIZE (10)
#define MICROPY_HELPER_REPL (1)
#define MICROPY_REPL_AUTO_INDENT (1)

#define MICROPY_MODULE_BUILTIN_INIT (1)
#define MICROPY_MODULE_WEAK_LINKS (1)
#define MICROPY_MODULE_FROZEN (1)
#define MICROPY_MODULE_FROZEN_MPY (1)
#define MICROPY_PERSISTENT_CODE_LOAD (1)
#define MICROPY_HAS_FILE_READER (1)
// Exposes mp_compile_to_raw_code, with which the frozen modules are compiled outside the unit's heap.
#define MICROPY_PERSISTENT_CODE_SAVE (1)

#define MICROPY_PY_FSTRINGS (1)
#define MICROPY_PY_BUILTINS_STR_UNICODE (1)
#define MICROPY_PY_BUILTINS_STR_CENTER (1)
#define MICROPY_PY_BUILTINS_STR_PARTITION (1)
#define MICROPY_PY_BUILTINS_STR_SPLITLINES (1)
#define MICROPY_PY_BUILTINS_ROUND_INT (1)
#define MICROPY_PY_BUILTINS_NOTIMPLEMENTED (1)
#define MICROPY_PY_BUILTINS_HELP (1)
#define MICROPY_PY_BUILTINS_HELP_TEXT unit_help_text
#define MICROPY_PY_BUILTINS_HELP_MODULES (1)
#define MICROPY_PY_BUILTINS_INPUT (1)
#define MICROPY_PY_BUILTINS_FROZENSET (1)
#define MICROPY_PY_BUILTINS_COMPLEX (0)
#define MICROPY_PY_CMATH (0)
#define MICROPY_PY_IO (1)
#define MICROPY_PY_IO_IOBASE (1)
#define MICROPY_PY_SYS_STDFILES (1)
#define MICROPY_PY_ERRNO (1)

// What later versions of MicroPython have and the pinned one (1.20) has not.
#define MICROPY_FLOAT_FORMAT_IMPL (MICROPY_FLOAT_FORMAT_IMPL_BASIC)
#define MICROPY_PY_BUILTINS_CODE (MICROPY_PY_BUILTINS_CODE_NONE)

#define MP_SSIZE_MAX (0x7fffffff)
#define MP_STATE_PORT MP_STATE_VM
#define MICROPY_MAKE_POINTER_CALLABLE(p) ((void *)(p))

typedef intptr_t mp_int_t;
typedef uintptr_t mp_uint_t;
typedef long mp_off_t;

// The interpreter looks at what it has left at every jump.
extern int64_t unit_budget;
void unit_slice(void);
#define MICROPY_VM_HOOK_LOOP if (unit_budget < 0) { unit_slice(); }

#include "mphalport.h"
