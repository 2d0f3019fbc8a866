#pragma once

/// The commit that this program was built from; empty in a build that was not told (`NOAFW_COMMIT`).
const char *_Nonnull cbuild_commit(void);
