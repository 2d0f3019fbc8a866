#include "CBuild.h"

const char *cbuild_commit(void) { return NOAFW_COMMIT; }
