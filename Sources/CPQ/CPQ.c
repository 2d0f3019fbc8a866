#include "CPQ.h"

#include <dlfcn.h>
#include <string.h>

const char *cpq_load(struct LibPQ *table) {
    // The name is libpq's interface, of PostgreSQL 8.2 and later; it stays loaded.
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
    // POSIX: a function's address comes as one of data.
#define CPQ_FIND(NAME) \
    { void *found = dlsym(library, #NAME); \
      if (!found) return dlerror(); \
      memcpy(&table->NAME, &found, sizeof found); }
    CPQ_FUNCTIONS(CPQ_FIND)
    return NULL;
}
