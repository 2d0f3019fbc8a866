#pragma once

/// Takes the place of ICU's data in the static noafw-ci (NOAFW_ONE_FILE): 30 MB of locales and calendars, which none of its verbs asks for.
/// Whoever asks is told that there are none. The symbol is ICU's own; the static library's member with the data is then not linked.
extern const unsigned char icudt76_dat[16];
