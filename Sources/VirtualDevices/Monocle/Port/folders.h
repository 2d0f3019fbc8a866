// What os.c takes from folders.c.
#pragma once

#include "py/obj.h"

extern const mp_obj_fun_builtin_var_t os_listdir_object, os_ilistdir_object;
