#include "CUnicode.h"

#ifdef NOAFW_ONE_FILE
const unsigned char icudt76_dat[16] __attribute__((aligned(16), used)) = {0};
#endif
